"""A position that somebody describes, as the view of a strategy: checked, and completed."""

from collections.abc import Iterable, Sequence
from typing import Any

from simcore.errors import InputError
from simcore.game.ruleset import RuleSet
from simcore.game.turns import pass_locks
from simcore.rulebook import (
    Cards,
    classified,
    initial_sizes,
    notation,
    opening_card_of,
    read_cards,
)
from simcore.simulation.asking import Asking
from simcore.simulation.playout import MAX_TURNS
from simcore.simulation.setup import largest_hand


def describe(
    work: Asking,
    hand: Cards,
    to_beat: Cards | None,
    *,
    to_beat_by: int | None,
    cards_left: Sequence[int] | None,
    seen: Cards | None,
    passed: Iterable[int] | None,
    locked: Iterable[int] | None,
    starter: int | None,
    fresh: bool | None,
    required: Cards | None,
    turn: int | None,
    trick: int,
    first_hand: bool = True,
) -> None:
    """Set the view of `work` to a position; see `decide`. Raises InputError if it cannot be."""
    rules, players = work.setup.rules, work.setup.players
    own = read_cards(rules, hand, "hand")
    table = 0 if to_beat is None else read_cards(rules, to_beat, "table")
    gone = table if not seen else table | read_cards(rules, seen, "set of cards seen")
    for what, cards in (("on the table", table), ("among the cards seen", gone)):
        if cards & own:
            raise InputError(
                f"card {notation(rules, cards & own)} is in hand and {what}; a card exists once: "
                "take it out of one"
            )
    kind, strength = classified(rules, work.table, table, "table") if table else (0, 0)
    by = _maker(table, to_beat_by, players)
    left = _cards_left(rules, players, own, gone, seen is not None, cards_left)
    between = set(range(by + 1, players)) if table else set()
    locks = bool(table) and bool(pass_locks(work.table, kind))
    out = _seats("locked", locked, between if locks else set(), players)
    gave_up = _seats("passed", passed, between, players)
    _check_trick(table, by, between, gave_up, out, bool(work.table.passing_locks_on))
    sizes = initial_sizes(rules, players)
    if fresh and left[0] not in sizes:
        raise InputError(
            f"a fresh hand of {left[0]} cards: {rules.name!r} deals "
            f"{' or '.join(map(str, sorted(sizes)))} to {players} players; say fresh=False"
        )
    if fresh is None:  # whom the opening card makes start may have been dealt more
        fresh = _is_fresh(left, sizes, table, gone, starter if first_hand else None)
    opens = not table and bool(fresh)
    started = _starter(starter, opens, by if table and table == gone else 0, players)
    if not first_hand and rules.session_lead == "opening_card":
        raise InputError(
            f"in rule set {rules.name!r} every hand is opened like a first one (session.lead); "
            "leave out that it is a later one"
        )
    must = _required(rules, work, own, opens, gone, required, first_hand)
    turns = (0 if opens else gone.bit_count()) if turn is None else turn
    work.set_view(
        hand=own, to_beat=table, to_beat_kind=kind, to_beat_strength=strength, to_beat_by=by,
        cards_left=(*left, 0, 0)[:4], seen=gone, passed=sum(1 << k for k in gave_up),
        locked=sum(1 << k for k in out), starter=started, first_hand=first_hand, players=players,
        fresh=bool(fresh), required=must, turn=bounded("turn", turns, MAX_TURNS),
        trick=bounded("trick", trick, MAX_TURNS),
    )  # fmt: skip


def _is_fresh(left: list[int], sizes: set[int], table: int, gone: int, starter: int | None) -> bool:
    """Whether one has not played yet, by what is known of the position.

    Whoever leads after something was played has played it, and so holds less than was dealt to the
    starter, who alone was dealt more where cards do not divide.
    """
    if not table and gone:
        return left[0] == max(sizes)
    if starter is not None:
        return left[0] == (max(sizes) if starter == 0 else min(sizes))
    return left[0] in sizes


def plays_in(work: Asking) -> Any:
    """The legal plays of the position that was described last. Raises InputError for none."""
    plays = work.list_plays()
    if not len(plays):
        rules = work.setup.rules
        raise InputError(
            f"there is no legal play with {notation(rules, int(work.view.hand))!r}; check the hand "
            "and the card that is required"
        )
    return plays


def bounded(name: str, value: int, end: int) -> int:
    """A number from 0 to end - 1. Raises InputError."""
    if not 0 <= value < end:
        raise InputError(f"{name} {value} is out of bounds: 0 to {end - 1}")
    return value


def _maker(table: int, to_beat_by: int | None, players: int) -> int:
    """Who made the standing play; 0 if there is none."""
    if not table:
        if to_beat_by:
            raise InputError(
                f"seat {to_beat_by} made a play, but there is none to beat; give to_beat, or leave "
                "out to_beat_by"
            )
        return 0
    by = players - 1 if to_beat_by is None else to_beat_by
    if not 1 <= by < players:
        raise InputError(
            f"to_beat_by {by} is out of bounds: 1 (the next in turn) to {players - 1} (the seat "
            "before)"
        )
    return by


def _cards_left(
    rules: RuleSet,
    players: int,
    hand: int,
    gone: int,
    all_seen: bool,
    cards_left: Sequence[int] | None,
) -> list[int]:
    """Cards of every seat, counted from oneself. Raises InputError if they cannot be."""
    own, others = hand.bit_count(), players - 1
    dealt = rules.deal * players if rules.deal else 52
    rest = dealt - own - gone.bit_count()
    largest = largest_hand(rules, players)
    if own > largest:
        raise InputError(
            f"a hand of {own} cards: {rules.name!r} deals at most {largest} to {players} players; "
            "take some out"
        )
    if cards_left is None:
        if not all_seen:
            return [own] * players
        left = [own, *(rest // others + (k < rest % others) for k in range(others))]
    else:
        left = list(cards_left)
    if len(left) != players:
        raise InputError(f"cards_left has {len(left)} numbers for {players} players; give each one")
    if left[0] != own:
        raise InputError(
            f"cards_left[0] is {left[0]}, and the hand has {own} cards: it is one's own number"
        )
    for seat, number in enumerate(left):
        if not 1 <= number <= largest:
            raise InputError(
                f"seat {seat} has {number} cards left: out of bounds, 1 to {largest} with "
                f"{players} players in {rules.name!r}; check cards_left and the cards seen"
            )
    if all_seen and sum(left[1:]) != rest:
        raise InputError(
            f"the others hold {sum(left[1:])} cards, but {dealt} dealt, {own} in hand and "
            f"{gone.bit_count()} seen leave {rest}; check cards_left and the cards seen"
        )
    if sum(left[1:]) > rest:
        raise InputError(
            f"the others hold {sum(left[1:])} cards, but {dealt} dealt, {own} in hand and "
            f"{gone.bit_count()} on the table leave {rest}; check cards_left"
        )
    return left


def _seats(what: str, given: Iterable[int] | None, default: set[int], players: int) -> set[int]:
    """Seats, counted from oneself. Raises InputError."""
    seats = default if given is None else set(given)
    for seat in seats:
        if not 1 <= seat < players:
            raise InputError(
                f"{what}: seat {seat} is out of bounds: 1 (the next in turn) to {players - 1}"
            )
    return seats


def _check_trick(
    table: int, by: int, between: set[int], passed: set[int], locked: set[int], locks: bool
) -> None:
    """Raises InputError if nobody can have passed, or been locked out, like that."""
    if not table and passed | locked:
        raise InputError(
            f"seat {min(passed | locked)} has passed or is locked out, but there is nothing to "
            "beat: whoever leads begins a new trick"
        )
    if extra := passed - between:
        raise InputError(
            f"seat {min(extra)} cannot have passed since seat {by} played: only those between "
            "that seat and oneself"
        )
    if missing := between - passed - locked:
        raise InputError(
            f"seat {min(missing)} sits between seat {by}, which played, and oneself: it has passed "
            "or is locked out"
        )
    if by in locked:
        raise InputError(f"seat {by} made the play to beat: it is not locked out")
    if locked and not locks:
        raise InputError(
            f"seat {min(locked)} is locked out, but in these rules a pass locks nobody out; leave "
            "locked empty"
        )


def _starter(starter: int | None, opens: bool, default: int, players: int) -> int:
    """Who started, counted from oneself. Raises InputError."""
    found = bounded("starter", default if starter is None else starter, players)
    if opens and found:
        raise InputError(
            f"starter {found}: whoever leads from a fresh hand starts; say starter=0, or "
            "fresh=False"
        )
    return found


def _required(
    rules: RuleSet, work: Asking, hand: int, opens: bool, gone: int, required: Cards | None,
    first_hand: bool,
) -> int:  # fmt: skip
    """The card that the first play must contain, as a mask. Raises InputError."""
    if opens and gone:
        raise InputError(
            f"{notation(rules, gone)} was played before the first play; whoever leads from a fresh "
            "hand starts: leave out the cards seen, or say fresh=False"
        )
    if not first_hand:
        if required is not None:
            raise InputError(
                "the opening card counts in the first hand of a session only; leave out the "
                "required card"
            )
        return 0
    if required is None:
        return opening_card_of(rules, work.table, hand) if opens else 0
    card = read_cards(rules, required, "required card")
    if not opens or not rules.opening_must_include:
        raise InputError(
            f"card {notation(rules, card)} is required, but only the first play of a deal, and not "
            "in every rule set, must contain a card; leave it out"
        )
    if card.bit_count() != 1 or not card & hand:
        raise InputError(
            f"the required card {notation(rules, card)!r} is not one card of the hand; whoever "
            "holds it starts"
        )
    # Where cards are out of play, another one may have taken the place of the opening card.
    certain = not rules.deal or rules.opening_not_dealt == "lowest"
    if certain and card != opening_card_of(rules, work.table, hand):
        raise InputError(
            f"the required card {notation(rules, card)!r} is not the opening card "
            f"{rules.opening_card} of {rules.name!r}, nor what takes its place; leave it out"
        )
    return card
