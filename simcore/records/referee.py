"""The referee: every turn of every record against the rules, and the first fault of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from simcore.errors import InputError
from simcore.foundation.jit import records
from simcore.game.rule_table import rule_table
from simcore.game.ruleset import RuleSet, load_rules
from simcore.game.turns import STATE
from simcore.records import faults as F
from simcore.records.masks import masks_of
from simcore.records.record import Record, read
from simcore.records.referee_kernels import TABLE, check_records
from simcore.records.sentences import Finding, fault_frame

if TYPE_CHECKING:
    import pandas as pd

BATCH = 5000  # records that are held at a time
NEAR = 1e-9  # by which payoffs may differ, in proportion: stakes may be fractions


@dataclass(frozen=True)
class Checked:
    """What the referee found. faults: one row for each faulty record, its first fault.

    Columns of faults: record (number in the file, from 1), line, id, turn (number of the item in
    `turns`, from 1; 0: the deal), seat, cards, fault (one of FAULTS), rule, allowed, sentence.
    """

    faults: "pd.DataFrame"
    records: int
    turns: int
    unknown: int  # records in which not all hands are known, also after what the others leave
    unsettled: int  # right so far, but without payoffs, or the known cards do not determine them

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "records": self.records,
            "turns": self.turns,
            "unknown": self.unknown,
            "unsettled": self.unsettled,
            "faults": self.faults.astype(object)
            .where(self.faults.notna(), None)
            .to_dict("records"),
        }


def check(file: str | Path | IO[bytes], rules: str | RuleSet | None = None) -> Checked:
    """Check every record of a file. Raises InputError for a line that is no record.

    rules: by which they are judged, whatever they say themselves; default: what each one says.
    """
    found: list[tuple[int, Finding]] = []
    n = turns = unknown = unsettled = 0
    given = None if rules is None else load_rules(rules)
    source = read(file)
    while batch := list(islice(source, BATCH)):
        for places, group, judged_by in _groups(batch, given):
            judged = Judged(group, judged_by)
            turns += len(judged.masks)
            unknown += int(np.count_nonzero(judged.unknown))
            unsettled += int(np.count_nonzero(judged.unsettled))
            found += [(n + places[i] + 1, finding) for i, finding in judged.findings()]
        n += len(batch)
    found.sort(key=lambda numbered: numbered[0])
    return Checked(fault_frame(found), n, turns, unknown, unsettled)


def _groups(
    batch: list[Record], given: RuleSet | None
) -> Iterator[tuple[list[int], list[Record], RuleSet]]:
    """(places in the batch, records, rules) of one rule set and number of players at a time."""
    groups: dict[tuple[int, int], tuple[list[int], RuleSet]] = {}
    for i, record in enumerate(batch):
        rules = rules_for(record, given)
        groups.setdefault((id(rules), record.players), ([], rules))[0].append(i)
    for places, rules in groups.values():
        yield places, [batch[i] for i in places], rules


def rules_for(record: Record, given: RuleSet | None) -> RuleSet:
    """By which rules a record is judged. Raises InputError if they are not for so many players."""
    rules = given or record.rule_set()
    if record.players not in rules.players:
        allowed = " or ".join(str(n) for n in rules.players)
        raise InputError(
            f"line {record.line}: {record.players} seats; rule set {rules.name!r} is played by "
            f"{allowed}"
        )
    return rules


class Judged:
    """Some records of one rule set and number of players as arrays, followed by the kernel."""

    def __init__(self, group: list[Record], rules: RuleSet) -> None:
        self.group, self.rules = group, rules
        mask_of = masks_of(rules.suits)
        n, self.players = len(group), group[0].players
        turns = [turn for record in group for turn in record.turns]
        self.seats = np.array([-1 if seat is None else seat for seat, _ in turns], np.int64)
        self.masks = np.array([mask_of[cards] for _, cards in turns], np.int64)
        self.numbers = np.array([len(cards) for _, cards in turns], np.int64)
        self.first = np.cumsum([0, *(len(record.turns) for record in group)], dtype=np.int64)
        self.starters = np.array([-1 if r.starter is None else r.starter for r in group], np.int64)
        self.first_hands = np.array([r.first_hand for r in group], bool)
        for record in group if rules.session_lead == "opening_card" else ():
            if not record.first_hand:
                raise InputError(
                    f"line {record.line}: field 'first_hand' is false, but in rule set "
                    f"{rules.name!r} every hand is opened like a first one (session.lead); leave "
                    "it out, or judge by other rules"
                )
        self.hands, self.given = np.zeros((n, 4), np.int64), np.full((n, 4), -1)
        for i, record in enumerate(group):
            for seat, hand in enumerate(record.hands):
                if hand is not None:
                    self.hands[i, seat], self.given[i, seat] = mask_of[hand], len(hand)
        self.faults, self.turns, certain = np.zeros((3, n), np.int64)
        self.written = np.zeros(n, bool)
        self.payoffs = np.zeros((n, 4), np.int64)
        check_records(
            rule_table(rules)[0], self.players, self.hands, self.given, self.starters,
            self.first_hands, self.first, self.seats, self.masks, self.numbers,
            np.zeros(4, np.int64), records(STATE, 1)[0], records(TABLE, 1)[0], self.faults,
            self.turns, self.written, self.payoffs, certain,
        )  # fmt: skip
        for i in np.flatnonzero(self.faults == F.NO_STARTER)[:1]:
            raise InputError(
                f"line {group[i].line}: nothing says who starts; give 'starter', the seat of every "
                "turn, or the hands"
            )
        hidden = (self.given[:, : self.players] < 0).sum(axis=1)
        dealt = rules.deal * self.players if rules.deal else 52
        self.unknown = hidden > (1 if dealt == 52 else 0)
        self._compare_payoffs(certain)

    def _compare_payoffs(self, certain: Any) -> None:
        """Turn payoffs that are wrong into faults, where the rest is right."""
        players, group = self.players, self.group
        none = (float("nan"),) * players
        said = np.array([record.payoffs or none for record in group], float)
        stakes = np.array([record.stake for record in group], float)
        due = self.payoffs[:, :players] * stakes[:, None]
        near = NEAR * np.maximum(1, np.abs(said).max(axis=1))
        sure = certain[:, None] >> np.arange(players) & 1 == 1
        wrong = ((np.abs(said - due) > near[:, None]) & sure).any(axis=1)
        wrong |= np.abs(said.sum(axis=1)) > players * near
        self.faults[(self.faults == F.NONE) & wrong] = F.PAYOFFS
        self.uncertain = ~sure.all(axis=1)
        self.unsettled = (np.isnan(said[:, 0]) | self.uncertain) & (self.faults == F.NONE)

    def findings(self) -> Iterator[tuple[int, Finding]]:
        """(place in the group, what was found) of every faulty record."""
        for i in np.flatnonzero(self.faults):
            record = self.group[i]
            payoffs = tuple(float(x) * record.stake for x in self.payoffs[i, : self.players])
            yield int(i), Finding(
                record, self.rules, int(self.faults[i]), int(self.turns[i]), bool(self.written[i]),
                payoffs,
            )  # fmt: skip
