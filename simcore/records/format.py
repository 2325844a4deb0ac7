"""The format of a record, version 1: every field once, in the order in which it is written.

A file of records is JSON Lines (UTF-8): each line is one object, one deal from its hands to its
end. The documentation's table of fields is generated from here.
"""

from dataclasses import dataclass

VERSION = 1


@dataclass(frozen=True)
class Field:
    """One field of a record."""

    name: str
    form: str  # as it is written
    also: str  # what else is read
    meaning: str


FIELDS = (
    Field("bigtwo_record", "1", "", "version of this format; must be there"),
    Field(
        "rules", "name", "`royal:deal=13`; an object with the keys of a rule file",
        "rule set: one that ships, by its name, or any in full",
    ),
    Field("names", "list of names", "null for an unknown one", "who sits where, in turn order"),
    Field(
        "hands", 'list of "3c 4d …"', "a list of cards for each hand",
        "cards as dealt, by seat, in the order in which they lay; null for an unknown hand",
    ),
    Field("starter", "seat", "a name", "who leads first; default: as hands or turns say"),
    Field(
        "first_hand", "false", "true",
        "false: a later hand of a session, led by the winner of the one before or by chance; "
        "default: the opening card decides who leads",
    ),
    Field(
        "turns", 'list of [seat, "3c 3d"]',
        '`"3c 3d"` or `["3c", "3d"]` for the seat whose turn it is; `{"seat": 0, "cards": …}`, '
        "with a name for seat",
        'plays and passes in order (must be there), a pass as "pass" (or null, "", "-", []); '
        "passes of locked-out seats may be left out",
    ),
    Field("payoffs", "list of numbers", "", "result of every seat, stake included"),
    Field("stake", "number", "", "factor on every payment; default 1"),
    Field("id", "text", "a whole number", "what the record is called where it comes from"),
    Field("time", "text", "", "when it was played, ISO 8601"),
    Field(
        "values", "list, one for each turn", "",
        'what the plays were worth, where a review says so: null, or {"3c 3d": points, "pass": '
        "[points, low, high], …}",
    ),
    Field("notes", "anything", "", "kept, and not looked at"),
)  # fmt: skip
NAMES = tuple(field.name for field in FIELDS)


def markdown() -> str:
    """The table of fields, as the documentation shows it."""
    lines = ["| field | written | also read | meaning |", "|---|---|---|---|"]
    lines += [f"| `{f.name}` | {f.form} | {f.also} | {f.meaning} |" for f in FIELDS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
