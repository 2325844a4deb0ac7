"""Asking strategies one question at a time, and playing on from anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simcore.foundation.rng import STRATEGY, STREAM, WORDS, draw_below, draw_uniform, refill
from simcore.game.dealing import is_first_hand, opening_seat
from simcore.game.groups import PLAY
from simcore.game.seatings import ORDER
from simcore.game.turns import STATE, play_turn, start_state
from simcore.simulation.playout import NOT_ASKED, QUESTION, fill_view, list_view
from simcore.simulation.sandbox import in_sandbox
from simcore.simulation.setup import Setup, Workspace
from simcore.strategies.interface import HEAD
from simcore.strategies.position import names

State = dict[str, int]  # the fields of game.turns.STATE


@dataclass(frozen=True)
class Turn:
    """One turn of a playout: how the table was before it, and what was played."""

    deal: int
    seating: int
    slots: tuple[int, ...]  # by seat
    hands: tuple[int, ...]  # masks by seat
    state: State
    play: int  # mask, 0: the pass

    @property
    def slot(self) -> int:
        """The slot whose turn it is."""
        return self.slots[self.state["seat"]]


class Asking(Workspace):
    """A workspace that puts single questions to the strategies of its setup."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, traced=1)
        self.view = self._view[0]
        self.table = self._table[0]
        # Plain arrays over the same memory: fields of a record array take microseconds each.
        self._head = np.ndarray(1, HEAD, self._view)
        self._listed = np.ndarray(len(self._plays), PLAY, self._plays)
        self._copied = np.ndarray(len(self._offered), PLAY, self._offered)
        self._asked = np.ndarray(1, QUESTION, self._question)[0]
        self._stream_of = list(np.ndarray(len(self._streams), STREAM, self._streams))

    def turns(self, deal: int, seating: int) -> list[Turn]:
        """Play a playout; every turn of it. Raises StrategyError."""
        rows = self.play(deal, 1, seating)
        trace = self.trace[: int(rows["plays"][0] + rows["passes"][0])].copy()
        players, hands, state = self.setup.players, self._scratch[1], self._state[0]
        for row in trace:
            hands[row.seat] |= row.mask
        first_hand = is_first_hand(self.table, deal)
        opens = self.table.opening_must_include and first_hand
        opening = opening_seat(self.table, players, hands)[1] if opens else 0
        start_state(state, int(rows["starter"][0]), opening)
        state.first_hand = first_hand
        slots = tuple(int(slot) for slot in ORDER[players, seating, :players])
        turns = []
        for row in trace:
            before = tuple(int(mask) for mask in hands[:players])
            fields = dict(zip(STATE.names or (), state.item(), strict=True))
            turns.append(Turn(deal, seating, slots, before, fields, int(row.mask)))
            play_turn(self.table, players, hands, state, row.mask, row.kind, row.strength)
        return turns

    def play_from(self, turn: Turn) -> Any:
        """Play on from a turn, with the streams as they are; the trace from there on.

        It ends early where a strategy chose no play, with a mask of -1. Raises StrategyError.
        """
        self._scratch[1, : len(turn.hands)] = turn.hands
        self._scratch[2, : len(turn.slots)] = turn.slots
        self._set_state(turn.state)
        self.trace[:].mask = -1
        self.play_on()
        found = self._question[0]
        found.turn = NOT_ASKED
        return self.trace[turn.state["turn"] : int(self._state[0].turn + found.fault)]

    def show(self, hands: Sequence[int], state: State) -> Any:
        """Set the view of the seat whose turn it is; returns the legal plays."""
        self._scratch[1, : len(hands)] = hands
        self._set_state(state)
        fill_view(self.view, self.setup.players, self._scratch[1], self._state[0])
        return self.list_plays()

    def list_plays(self) -> Any:
        """The legal plays of the view, which `ask` offers."""
        return self._plays[: list_view(self.view, self._plays)]

    def set_view(self, **fields: Any) -> None:
        """Set all fields of the view but the rules."""
        self._head[0] = tuple(fields[name] for name in HEAD.names or ())

    @in_sandbox
    def ask(self, n_plays: int, slot: int, deal: int) -> int:
        """Which of the first n_plays plays a slot's strategy chooses, given view and stream.

        As in a playout: where there is no choice, there is no question. Raises StrategyError.
        """
        found, stream = self._asked, self._streams[slot]
        found["deal"], found["slot"], found["turn"] = deal, slot, self._head["turn"][0]
        found["n_plays"] = n_plays
        self._copied[:n_plays] = self._listed[:n_plays]
        if n_plays == 1:
            index = 0
        elif self._noise[slot] > 0 and draw_uniform(stream) < self._noise[slot]:
            index = draw_below(stream, n_plays)
        else:
            try:
                index = self._strategies[slot](
                    self.view, self._offered, n_plays, self._params[slot], stream
                )
            except BaseException as error:
                self._blame(error)
                raise
        found["index"] = index
        if not 0 <= index < n_plays:
            raise self._fault(self._what_was_returned())
        found["turn"] = NOT_ASKED
        return int(index)

    def question_command(self) -> str:
        """The command that asks the last question again, alone."""
        found, view = self._question[0], self.view
        entrant, rules = self.setup.lineup[int(found.slot)], self.setup.rules
        seats = range(int(view.players))

        def cards(mask: int) -> str:
            return repr(" ".join(names(int(mask), rules.suits)))

        words = [f"bigtwo decide --rules {rules.name} --strategy {entrant.name}"]
        words.append(f"--hand {cards(view.hand)}")
        if view.to_beat:
            words.append(f"--table {cards(view.to_beat)} --by {view.to_beat_by}")
        words.append("--cards-left " + ",".join(str(view.cards_left[k]) for k in seats))
        if view.seen:
            words.append(f"--seen {cards(view.seen)}")
        if view.to_beat:
            for option, bits in (("passed", view.passed), ("locked", view.locked)):
                words.append(f"--{option} {','.join(str(k) for k in seats if bits >> k & 1)!r}")
        words.append(f"--starter {view.starter} {'--fresh' if view.fresh else '--no-fresh'}")
        if not view.first_hand:
            words.append("--later-hand")
        words.append(f"--turn {view.turn} --trick {view.trick}")
        words.append(f"--seed {self.setup.seed} --deal {found.deal} --slot {found.slot}")
        return " ".join(words)

    def scribbled(self, n_plays: int, before: bytes) -> str:
        """Which of its arguments the strategy asked last wrote to; before: bytes of the view."""
        if self._offered[:n_plays].tobytes() != self._plays[:n_plays].tobytes():
            return "plays"
        return "view" if self.view.tobytes() != before else ""

    def mend(self) -> None:
        """Undo what a strategy did to its params and to the rules in its view."""
        self._params[:] = self._given
        self._view.rules[:] = self._table

    def start_stream(self, slot: int, deal: int, drawn: int = 0) -> None:
        """Put a slot's stream where it is in a deal after so many words."""
        stream = self._stream_of[slot]
        stream["seed"], stream["deal"], stream["purpose"] = self.setup.seed, deal, STRATEGY + slot
        stream["block"], stream["used"] = drawn // WORDS * (WORDS // 4), WORDS
        if drawn % WORDS:
            refill(self._streams[slot])
            stream["used"] = drawn % WORDS

    def drawn(self, slot: int) -> int:
        """How many words of its stream a slot has used."""
        stream = self._stream_of[slot]
        return int(stream["block"]) * 4 - WORDS + int(stream["used"])

    def _set_state(self, state: State) -> None:
        for name, value in state.items():
            self._state[name] = value
