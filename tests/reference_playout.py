"""Whole playouts by the rulebook of reference.py: turns, strategies and dealing.

Slow, plain, and independent of the package, like reference.py itself. Standard library only.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.reference import (
    RANKS,
    RULES,
    Cards,
    Play,
    Rules,
    classify,
    full_deck,
    has_monster,
    legal_plays,
    lets_out,
    may_pass,
    parse,
    payoffs,
    show,
    twos,
    winner_effect,
)

# Playouts


@dataclass(frozen=True)
class Position:
    """What a seat knows when it chooses. Seats are counted from oneself, in turn order."""

    rules: Rules
    seat: int
    hand: tuple[str, ...]  # low to high
    to_beat: tuple[str, ...] | None  # None for the leader
    to_beat_kind: str | None
    to_beat_owner: int | None  # how many seats after oneself
    cards_left: tuple[int, ...]  # oneself first
    locked: tuple[bool, ...]  # oneself first
    passed: tuple[bool, ...]  # since the last play, oneself first
    seen: tuple[str, ...]  # all cards played so far
    must_include: str | None
    next_left: int
    fresh: bool
    starter: int  # how many seats after oneself
    turn: int  # turns taken so far
    trick: int  # number of the trick, from 1


Strategy = Callable[[Position, list[Play], bool], Play | None]


@dataclass(frozen=True)
class Turn:
    """One choice of a seat; a pass has no cards and the kind "pass"."""

    seat: int
    cards: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Playout:
    """One deal to its end; `tricks` counts the leads."""

    starter: int
    turns: tuple[Turn, ...]
    winner: int
    cards_left: tuple[int, ...]
    plays: int
    passes: int
    tricks: int
    last_kind: str
    grand_slam: bool
    winner_multiplier: int
    twos_left: tuple[int, ...]
    monster_left: tuple[bool, ...]
    payoffs: tuple[int, ...]
    payer: int | None  # who pays for all by the last-card rule


def play_out(
    rules: Rules,
    hands: Sequence[Cards],
    starter: int,
    must_include: str | None,
    choose: Sequence[Strategy],
    stake: int = 1,
) -> Playout:
    """Play one deal. A strategy is asked only where it has two or more options.

    Seats take turns in increasing order. A trick ends when the turn comes back to the seat of the
    standing play. A locked seat is skipped and takes no turn. The first empty hand ends it all.
    """
    players = len(hands)
    left = [list(show(rules, parse(rules, hand))) for hand in hands]
    turns: list[Turn] = []
    locked: set[int] = set()
    passed: set[int] = set()
    standing: Turn | None = None
    tricks = 0
    seat = starter
    payer: int | None = None
    let_out: int | None = None  # who played so that the next seat could go out, the turn before
    while all(left):
        if standing is not None and standing.seat == seat:
            standing = None  # everybody else has passed or is locked out: the trick ends
            locked.clear()
            passed.clear()
        if seat in locked:
            seat = (seat + 1) % players
            continue
        around = [(seat + step) % players for step in range(players)]
        position = Position(
            rules=rules,
            seat=seat,
            hand=tuple(left[seat]),
            to_beat=None if standing is None else standing.cards,
            to_beat_kind=None if standing is None else standing.kind,
            to_beat_owner=None if standing is None else (standing.seat - seat) % players,
            cards_left=tuple(len(left[other]) for other in around),
            locked=tuple(other in locked for other in around),
            passed=tuple(other in passed for other in around),
            seen=tuple(card for turn in turns for card in turn.cards),
            must_include=None if turns else must_include,
            next_left=len(left[around[1]]),
            fresh=len(left[seat]) == len(hands[seat]),
            starter=(starter - seat) % players,
            turn=len(turns),
            trick=tricks + (standing is None),
        )
        turn = _take_turn(position, choose[seat])
        turns.append(turn)
        payer = let_out if let_out == (seat - 1) % players else None
        next_left = len(left[(seat + 1) % players])
        broken = lets_out(rules, left[seat], position.to_beat, next_left, turn.cards)
        let_out = seat if broken else None
        if turn.kind == "pass":
            passed.add(seat)
            if standing is not None and len(standing.cards) in rules.passing_locks_on:
                locked.add(seat)  # decided by the play on the table when the pass is made
        else:
            tricks += standing is None
            passed.clear()
            standing = turn
            left[seat] = [card for card in left[seat] if card not in turn.cards]
        seat = (seat + 1) % players
    return _summary(rules, starter, turns, left, tricks, stake, payer)


def _take_turn(position: Position, choose: Strategy) -> Turn:
    """A lone option is taken without asking. Who leads must play, who follows may mostly pass."""
    at = position
    plays = legal_plays(at.rules, at.hand, at.to_beat, at.must_include, at.next_left, at.fresh)
    passing = may_pass(at.rules, at.hand, at.to_beat, at.next_left)
    options: list[Play | None] = [*plays, None] if passing else [*plays]
    choice = options[0] if len(options) == 1 else choose(position, plays, passing)
    if choice not in options:
        raise ValueError(f"seat {position.seat} chose {choice}, which is not legal")
    return Turn(at.seat, (), "pass") if choice is None else Turn(at.seat, *choice)


def _summary(
    rules: Rules,
    starter: int,
    turns: list[Turn],
    left: list[list[str]],
    tricks: int,
    stake: int,
    payer: int | None,
) -> Playout:
    """The record of a finished playout. Grand Slam: nobody but the winning starter ever played."""
    last = turns[-1]
    played = [turn for turn in turns if turn.kind != "pass"]
    slam = all(turn.seat == starter for turn in played)
    idle = set(range(len(left))) - {turn.seat for turn in played}
    return Playout(
        starter=starter,
        turns=tuple(turns),
        winner=last.seat,
        cards_left=tuple(len(hand) for hand in left),
        plays=len(played),
        passes=len(turns) - len(played),
        tricks=tricks,
        last_kind=last.kind,
        grand_slam=slam,
        winner_multiplier=winner_effect(rules, last.cards, slam)[0],
        twos_left=tuple(twos(hand) for hand in left),
        monster_left=tuple(has_monster(rules, hand) for hand in left),
        payoffs=tuple(payoffs(rules, last.seat, left, last.cards, slam, stake, idle, payer)),
        payer=payer,
    )


# Strategies. `plays` come in canonical order, and never empty when one of these is asked.


def _dragon(plays: list[Play]) -> Play | None:
    """A Dragon or Flush Dragon wins at once."""
    return next((play for play in plays if play[1] in ("dragon", "flush_dragon")), None)


def _lead_low(plays: list[Play]) -> Play:
    """The lowest legal single; without one, the first play."""
    return next((play for play in plays if play[1] == "single"), plays[0])


def _follow_low(position: Position, plays: list[Play]) -> Play | None:
    """The first play; a bomb on a table of another kind only where it empties the hand.

    A single on another kind is a bomb too: a card that beats every play.
    """
    for cards, kind in plays:
        bombs = ("single", *position.rules.kinds_bombs)
        bombing = kind in bombs and kind != position.to_beat_kind
        if not bombing or len(cards) == len(position.hand):
            return cards, kind
    return None


def lowest(position: Position, plays: list[Play], may_pass: bool) -> Play | None:
    """Lead the lowest single, follow with the lowest play, save the bombs."""
    low = _follow_low(position, plays) if may_pass else _lead_low(plays)
    return _dragon(plays) or low


def highest(position: Position, plays: list[Play], may_pass: bool) -> Play | None:
    """Most cards, then the last kind, then the highest strength; among equals the first play."""
    best = classify(position.rules, plays[-1][0])  # the canonical order ends with just that
    return next(play for play in plays if classify(position.rules, play[0]) == best)


def dump(position: Position, plays: list[Play], may_pass: bool) -> Play | None:
    """Lead the first play of those with the most cards, follow like `lowest`."""
    if position.to_beat is not None:
        return lowest(position, plays, may_pass)
    return max(plays, key=lambda play: len(play[0]))  # the first of the longest


def timeout(position: Position, plays: list[Play], may_pass: bool) -> Play | None:
    """Time has run out: pass when following, lead the lowest single."""
    return None if may_pass else _lead_low(plays)


STRATEGIES: dict[str, Strategy]
STRATEGIES = {"lowest": lowest, "highest": highest, "dump": dump, "timeout": timeout}


# Dealing


def deal(
    rules_name: str, players: int, rng: random.Random, cards: str = "all"
) -> tuple[list[list[str]], int, str]:
    """Hands, starter and the opening card in play: the lowest dealt card of the opening suit.

    `cards="13"` deals 13 each and leaves the rest out. `cards="all"` deals equally; what is left
    over goes to the holder of the opening card in play. Where the rule set hands out the opening
    card first, it goes to a uniformly random seat, and the others are dealt equally.
    """
    rules = RULES[rules_name]
    deck = full_deck(rules)
    rng.shuffle(deck)
    hands: list[list[str]] = [[] for _ in range(players)]
    if rules.leftover == "opening_card_first" and cards == "all" and len(deck) % players:
        deck.remove(rules.opening_card)
        hands[rng.randrange(players)].append(rules.opening_card)
    each = 13 if cards == "13" else len(deck) // players
    for hand in hands:
        hand.extend(deck[:each])
        del deck[:each]
    opening = opening_card_in_play(rules, hands)
    starter = next(seat for seat in range(players) if opening in hands[seat])
    if cards == "all":
        hands[starter].extend(deck)
    return hands, starter, opening_card_in_play(rules, hands)


def begin(
    rules: Rules, hands: list[list[str]], number: int = 0, before: int | None = None
) -> tuple[int | None, str | None]:
    """Who starts a hand (None: anybody), and the card that the first play must contain.

    number: of the hand in its session, from 0; before: who won the hand before it.
    """
    if number == 0 or rules.session_lead == "opening_card":
        opening = opening_card_in_play(rules, hands)
        starter = next(seat for seat, hand in enumerate(hands) if opening in hand)
        return starter, opening if rules.opening_must_include else None
    return before if rules.session_lead == "winner" else None, None


def opening_card_in_play(rules: Rules, hands: list[list[str]]) -> str:
    """The opening card, or the next rank of its suit that was dealt (3, 4, 5 and so on).

    With none of its suit above it, the lowest of its suit, and without the suit the lowest card.
    Or, where the rules say so, at once the lowest card that was dealt.
    """
    dealt = {card for hand in hands for card in hand}
    if rules.opening_not_dealt == "lowest" and rules.opening_card not in dealt:
        return show(rules, parse(rules, dealt))[0]
    first, suit = RANKS.index(rules.opening_card[0]), rules.opening_card[1]
    in_suit = [rank + suit for rank in RANKS[first:] + RANKS[:first] if rank + suit in dealt]
    return in_suit[0] if in_suit else show(rules, parse(rules, dealt))[0]
