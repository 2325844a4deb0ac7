"""One playout turn by turn, from its address alone."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from simcore.errors import InputError
from simcore.game import kinds as K
from simcore.game.cards import SYMBOLS, card_names
from simcore.game.ruleset import RuleSet
from simcore.game.seatings import N_ORDERS, ORDER
from simcore.html import Markup, table
from simcore.simulation.setup import MAX_DEALS, Setup, Workspace, make_setup
from simcore.simulation.watch import watched
from simcore.strategies.registry import Entrant


@dataclass(frozen=True)
class Replay:
    """A playout: hands in seat order, every turn, and the result. Cards in notation."""

    rules: str
    seed: int
    deal: int
    seating: int
    lineup: list[str]  # by slot
    slots: list[int]  # the slot at each seat
    hands: list[list[str]]  # as dealt
    starter: int
    turns: list[dict[str, Any]]  # {"seat", "cards", "kind", "trick"}; who is locked out has none
    winner: int
    cards_left: list[int]
    payoffs: list[int]
    payer: int | None = None  # the seat that pays for all by the last-card rule

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return asdict(self)

    def _repr_html_(self) -> str:
        names = [self.lineup[slot] for slot in self.slots]
        hands = table(
            (
                (f"{seat} {names[seat]}", _cards(hand), self.cards_left[seat], self.payoffs[seat])
                for seat, hand in enumerate(self.hands)
            ),
            ("seat", "hand", "cards left", "payoff"),
        )
        turns = table(
            (
                (
                    f"{turn['seat']} {names[turn['seat']]}",
                    _cards(turn["cards"]) if turn["cards"] else "pass",
                    turn["kind"].replace("_", " ") if turn["cards"] else "",
                )
                for turn in self.turns
            ),
            ("seat", "play", "kind"),
        )
        title = escape(
            f"{self.rules}, seed {self.seed}, deal {self.deal}, seating {self.seating}: seat "
            f"{self.starter} starts, seat {self.winner} ({names[self.winner]}) wins"
        )
        number = f"<summary>{len(self.turns)} turns</summary>"
        return f"<p>{title}</p>{hands}<details>{number}{turns}</details>"


_COLOURS = {"c": "#1a7f37", "d": "#0969da", "h": "#d1242f", "s": "inherit"}


def _cards(names: list[str]) -> Markup:
    """Cards with their suit symbol in colour."""
    return Markup(
        " ".join(
            f"<b style='color:{_COLOURS[name[1]]}'>{name[0]}{SYMBOLS[name[1]]}</b>"
            for name in names
        )
    )


def seatings_of(setup: Setup, deal: int) -> list[int]:
    """The seatings that the setup's plan plays a deal under. Raises InputError."""
    _check_deal(deal)
    work = Workspace(setup)
    rows = watched(work, lambda: work.play(deal, 1))
    return [int(k) for k in rows["seating"]]


def _check_deal(deal: int) -> None:
    if not 0 <= deal < MAX_DEALS:
        raise InputError(f"deal {deal} is out of bounds: 0 to {MAX_DEALS - 1}")


def replay_setup(setup: Setup, deal: int, seating: int = 0) -> Replay:
    """Play one playout again. Raises InputError for a deal or seating out of bounds."""
    _check_deal(deal)
    n_orders = int(N_ORDERS[setup.players])
    if not 0 <= seating < n_orders:
        raise InputError(
            f"seating {seating} is out of bounds: 0 to {n_orders - 1} for {setup.players} players"
        )
    work = Workspace(setup, traced=1)
    rows = watched(work, lambda: work.play(deal, 1, seating))
    suits, seats = setup.rules.suits, range(setup.players)
    dealt = [0] * setup.players
    turns = []
    for turn in work.trace[: int(rows["plays"][0] + rows["passes"][0])]:
        dealt[turn.seat] |= int(turn.mask)
        turns.append(
            {
                "seat": int(turn.seat),
                "cards": card_names(turn.mask, suits),
                "kind": K.KINDS[turn.kind],
                "trick": int(turn.trick),
            }
        )
    left = work.hands_left()
    return Replay(
        rules=setup.rules.name,
        seed=setup.seed,
        deal=deal,
        seating=seating,
        lineup=[e.name for e in setup.lineup],
        slots=[int(ORDER[setup.players, seating, seat]) for seat in seats],
        hands=[card_names(dealt[seat] | left[seat], suits) for seat in seats],
        starter=int(rows["starter"][0]),
        turns=turns,
        winner=int(rows["winner"][0]),
        cards_left=rows["cards_left"][:, 0].tolist(),
        payoffs=rows["payoff"][:, 0].tolist(),
        payer=None if rows["payer"][0] < 0 else int(rows["payer"][0]),
    )


def replay(
    rules: str | RuleSet,
    lineup: str | Iterable[str | Entrant],
    seed: int,
    deal: int,
    seating: int = 0,
    players: int | None = None,
    stake: int = 1,
) -> Replay:
    """The playout of one deal in one seating, turn by turn. Raises InputError, StrategyError."""
    return replay_setup(make_setup(rules, lineup, seed, players, "fixed", stake), deal, seating)
