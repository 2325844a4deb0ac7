"""Which rules contradict each other, though each is right by itself."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simcore.game import kinds as K
from simcore.game.rule_format import FIVE_CARD, NO_ITEM

if TYPE_CHECKING:
    from simcore.game.ruleset import RuleSet


def kind_order(allowed: tuple[str, ...], ladder: tuple[str, ...]) -> tuple[str, ...]:
    """Weakest first: by number of cards, then by the ladder, then by the usual order."""

    def position(kind: str) -> tuple[int, int, int]:
        number = K.KINDS.index(kind)
        place = ladder.index(kind) if kind in ladder else len(ladder)
        return K.SIZES[number], place, number

    return tuple(sorted(allowed, key=position))


def contradictions(rules: "RuleSet") -> Iterator[tuple[str, str]]:
    """(key, problem) wherever keys that are right by themselves do not go together."""
    players, allowed = max(rules.players), rules.kinds_allowed
    if rules.deal > 52 // players:
        yield (
            "deal",
            f'{rules.deal} cards for {players} players: 1 to {52 // players}, or "all"',
        )
    if "single" not in allowed:
        yield "kinds.allowed", "'single' is missing; without it a hand may have no lead"
    for kind, needed in (("royal_flush", "straight_flush"), ("flush_dragon", "dragon")):
        if kind in allowed and needed not in allowed:
            yield "kinds.allowed", f"{kind} needs {needed}; add it"
    for key, listed in (
        ("kinds.ladder", rules.kinds_ladder),
        ("kinds.apart", rules.kinds_apart),
        ("kinds.bombs", rules.kinds_bombs),
        ("kinds.unbeatable", rules.kinds_unbeatable),
        ("payoff.monsters", rules.payoff_monsters),
    ):
        for kind in listed:
            if kind not in allowed:
                yield key, f"{kind!r} is not in kinds.allowed; add it there, or take it out here"
    if rules.opening_alone and not rules.opening_must_include:
        yield (
            "opening.alone",
            "is true, but opening.must_include is false; set that to true too",
        )
    if rules.session_lead != "opening_card" and rules.session_hands == 1:
        yield (
            "session.hands",
            f"is 1, but session.lead says who starts later hands ({rules.session_lead}); say how "
            "many hands a session has, as in session.hands = 24",
        )
    if rules.last_card_pays and rules.last_card_highest_single and rules.last_card_no_pass:
        yield (
            "last_card.pays",
            "is for what last_card.highest_single and last_card.no_pass already forbid; set one of "
            "the three to false",
        )
    yield from _about_ladder_and_bombs(rules)
    yield from _about_singles(rules)
    yield from _about_straights(rules)
    for name, found in (
        ("monster_left", bool(rules.payoff_monsters)),
        ("finish_flush_dragon", "flush_dragon" in allowed),
    ):
        if rules.payoff_items[name] != NO_ITEM and not found:
            yield (
                f"payoff.{name}",
                "is set, but no such kind is in payoff.monsters or kinds.allowed",
            )


def _about_ladder_and_bombs(rules: "RuleSet") -> Iterator[tuple[str, str]]:
    ladder, bombs = rules.kinds_ladder, rules.kinds_bombs
    placed = {*ladder, *rules.kinds_apart}
    missing = [k for k in FIVE_CARD if k in rules.kinds_allowed and k not in placed]
    if ladder and missing:
        yield (
            "kinds.ladder",
            f"{missing[0]!r} is allowed but not in it; place it, name it in kinds.apart, or leave "
            "the ladder empty",
        )
    if rules.kinds_apart and not ladder:
        yield "kinds.apart", "is without a meaning where kinds.ladder is empty; leave it out"
    for kind in rules.kinds_apart:
        if kind in ladder:
            yield "kinds.apart", f"{kind!r} stands in kinds.ladder too; take it out of one"
    if [k for k in bombs if k in ladder] != [k for k in ladder if k in bombs]:
        yield (
            "kinds.bombs",
            f"order {', '.join(bombs)} contradicts kinds.ladder; use the ladder's order",
        )
    for key, named in (
        ("kinds.bombs_each", [kind for kind, _ in rules.kinds_bombs_each]),
        ("kinds.bombs_twos_only", rules.kinds_bombs_twos_only),
    ):
        for kind in named:
            if kind not in bombs:
                yield key, f"{kind!r} is not in kinds.bombs; add it there, or take it out here"
    if set(bombs) - dict(rules.kinds_bombs_each).keys() and not rules.kinds_bombs_beat:
        yield (
            "kinds.bombs_beat",
            "is empty, but kinds.bombs is not; give the sizes that bombs beat",
        )
    if rules.kinds_bombs_beat and not bombs:
        yield (
            "kinds.bombs_beat",
            "gives sizes, but kinds.bombs is empty; name the bombs or empty it",
        )


def _about_singles(rules: "RuleSet") -> Iterator[tuple[str, str]]:
    beat_all = rules.kinds_singles_beat_all
    highest = ["2" + suit for suit in reversed(rules.suits)]
    if set(beat_all) != set(highest[: len(beat_all)]):
        yield (
            "kinds.singles_beat_all",
            f"{', '.join(beat_all)}: these must be the highest cards, in turn {', '.join(highest)}",
        )
    if beat_all and "single" in rules.kinds_bombs:
        yield (
            "kinds.singles_beat_all",
            "is without a meaning where every single is a bomb; take 'single' out of kinds.bombs",
        )


def _about_straights(rules: "RuleSet") -> Iterator[tuple[str, str]]:
    needing = [k for k in ("straight", "straight_flush", "royal_flush") if k in rules.kinds_allowed]
    if needing and not rules.straights_order:
        yield "straights.order", f"is empty, but {needing[0]} is allowed; list the straights"
    if "royal_flush" in needing and not any(
        set(r) == set("TJQKA") for r, _ in rules.straights_order
    ):
        yield "straights.order", "royal_flush is allowed, so 'TJQKA:A' must be listed"
