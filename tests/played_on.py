"""Positions out of playouts, and playing on from them by hand, for the tests of evaluations.

The hidden cards are shuffled in Python; the engine plays on from given hands, turn by turn, and the
payoffs are asked of the rulebook.
"""

import random
from collections.abc import Iterator
from typing import Any

from simcore.described import describe
from simcore.game.turns import play_turn
from simcore.rulebook import payoffs
from simcore.simulation.asking import Asking, Turn
from simcore.simulation.setup import make_setup
from tests import reference
from tests.support import cards_of, mask_of

FACTS = (
    "to_beat_by", "cards_left", "seen", "passed", "locked", "starter", "fresh", "required", "turn",
    "trick",
)  # fmt: skip


def asked(name: str, lineup: str, seed: int, deals: int, players: int = 4) -> Iterator[Any]:
    """(position as arguments of `evaluate`, its turn) at every turn of some playouts."""
    setup = make_setup(name, lineup, seed, players, "fixed")
    work = Asking(setup)
    suits = setup.rules.suits
    for deal in range(deals):
        for turn in work.turns(deal, 0):
            plays = work.show(turn.hands, turn.state)
            view = work.view
            if len(plays) < 2:
                continue
            between = range(players)
            required = cards_of(suits, int(view.required)) or None
            yield (
                {
                    "hand": cards_of(suits, int(view.hand)),
                    "to_beat": cards_of(suits, int(view.to_beat)) or None,
                    "to_beat_by": int(view.to_beat_by) if view.to_beat else None,
                    "cards_left": [int(x) for x in view.cards_left[:players]],
                    "seen": cards_of(suits, int(view.seen)),
                    "passed": [k for k in between if view.passed >> k & 1],
                    "locked": [k for k in between if view.locked >> k & 1],
                    "starter": int(view.starter),
                    "fresh": bool(view.fresh),
                    "required": required,
                    "turn": int(view.turn),
                    "trick": int(view.trick),
                },
                turn,
            )


class Plain:
    """Playing on from a position as one would by hand: cards shuffled, the engine's playouts."""

    def __init__(self, name: str, policy: str, position: dict[str, Any]) -> None:
        players = len(position["cards_left"])
        self.setup = make_setup(name, policy, 0, players, "fixed")
        self.work, self.position = Asking(self.setup), position
        describe(
            self.work, position["hand"], position["to_beat"], **{k: position[k] for k in FACTS}
        )
        self.view = self.work.view.copy()
        self.suits = self.setup.rules.suits

    def hidden(self, rng: random.Random) -> list[list[str]]:
        """Cards of the other seats: shuffled, dealt, and rejected if the starter lacks his card."""
        rules, position = reference.RULES[self.setup.rules.name], self.position
        gone = {*position["hand"], *position["seen"]}
        rest = [card for card in reference.full_deck(rules) if card not in gone]
        opening, starter = self.setup.rules.opening_card, position["starter"]
        while True:
            rng.shuffle(rest)
            dealt, at = [list(position["hand"])], 0
            for size in position["cards_left"][1:]:
                dealt.append(rest[at : at + size])
                at += size
            if (
                self.setup.rules.deal
                or opening not in rest
                or starter == 0
                or opening in dealt[starter]
            ):
                return dealt

    def play(self, hands: list[list[str]], cards: tuple[str, ...], number: int) -> tuple[int, int]:
        """(payoff, cards left) of the seat that asks, after its play, with chance's own numbers."""
        view, work, suits = self.view, self.work, self.suits
        players = len(hands)
        masks = [mask_of(suits, hand) for hand in hands]
        played = sum(
            1 << k
            for k in range(players)
            if (k == 0 and not view.fresh) or (k and len(hands[k]) < self.dealt(k))
        )
        state = {
            "seat": 0, "starter": int(view.starter), "required": 0, "standing": int(view.to_beat),
            "kind": int(view.to_beat_kind), "strength": int(view.to_beat_strength),
            "by": int(view.to_beat_by) if view.to_beat else -1, "passed": int(view.passed),
            "locked": int(view.locked), "seen": int(view.seen), "played": played, "plays": 0,
            "turn": int(view.turn), "trick": int(view.trick),
        }  # fmt: skip
        first = Turn(0, 0, tuple(range(players)), tuple(masks), state, 0)
        chosen = mask_of(suits, cards)
        plays = work.show(first.hands, state)
        index = next(i for i, play in enumerate(plays) if play.mask == chosen)
        play = plays[index]
        left = [list(hand) for hand in hands]
        work._scratch[1, :players] = masks
        for key, value in state.items():
            work._state[key] = value
        over = play_turn(
            work.table, players, work._scratch[1], work._state[0], play.mask, play.kind,
            play.strength,
        )  # fmt: skip
        trace = [(0, tuple(cards))]
        if not over:
            names = work._state.dtype.names
            after = dict(zip(names, work._state[0].item(), strict=True))
            for slot in range(players):
                work.start_stream(slot, 10**6 + number)
            turn = Turn(
                0, 0, first.slots, tuple(int(m) for m in work._scratch[1, :players]), after, 0
            )
            for done in work.play_from(turn):
                trace.append((int(done.seat), cards_of(suits, int(done.mask))))
        seats_played = {k for k in range(players) if played >> k & 1}
        for seat, put in trace:
            left[seat] = [card for card in left[seat] if card not in put]
            if put:
                seats_played.add(seat)
        winner, last = trace[-1]
        assert left[winner] == []
        slam = winner == int(view.starter) and seats_played == {winner}
        result = payoffs(self.setup.rules, winner, left, last, slam)
        return result[0], len(left[0])

    def dealt(self, seat: int) -> int:
        rules, players = self.setup.rules, self.setup.players
        if rules.deal:
            return rules.deal
        return 52 // players + (52 % players if seat == self.view.starter else 0)
