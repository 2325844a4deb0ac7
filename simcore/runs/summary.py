"""The tallies of a run as one additive object: plain integers, however many deals."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from simcore.game.kinds import KINDS
from simcore.html import table
from simcore.renamed import current
from simcore.statistics import LEVEL, Estimate, known, mean_over_deals, share_over_deals

METRICS = ("win_rate", "payoff", "cards_left")
MAX_HAND = 52
SMALL_PAYOFF = 512  # payoffs up to here are counted in a table, larger ones by themselves


class Summary:
    """Exact sums over the deals of a run; `a + b` is the summary of both.

    Groups are the distinct strategies of the lineup, in slot order. Arrays hold Python integers, so
    that squares of payoffs never overflow; payoffs are at stake 1. The unit of squares is the deal,
    or the session, where `session_hands` deals are played in one.
    """

    def __init__(
        self,
        groups: Iterable[str],
        players: int,
        playouts_per_deal: int,
        slots: Iterable[int],
        stake: int,
        session_hands: int = 1,
    ) -> None:
        self.groups = list(groups)
        self.slots = list(slots)  # how many slots each group has
        self.stake = stake
        self.players = players
        self.playouts_per_deal = playouts_per_deal
        self.session_hands = session_hands
        self.n_deals = 0
        g = len(self.groups)
        self.arrays: dict[str, Any] = {
            name: np.zeros(shape, object)
            for name, shape in {
                "sums": (len(METRICS), g),
                "products": (len(METRICS), g, g),  # of two groups' sums in a deal
                "seat_count": (g, players),  # playouts by seat, counted from the starter
                "seat_wins": (g, players),
                "seat_products": (3, g, players),  # count², count × wins, wins²
                "left": (g, players, MAX_HAND + 1),  # histogram of cards left
                "kinds": (len(KINDS),),  # of the winning play
                "lengths": (3,),  # plays, passes, tricks
            }.items()
        }
        # [group][seat counted from the starter]: payoff at stake 1 -> playouts
        self.payoffs: list[list[dict[int, int]]] = [[{} for _ in range(players)] for _ in range(g)]

    def count_payoff(self, group: int, seat: int, payoff: int, number: int) -> None:
        """Count a payoff (at stake 1) in the histogram of a group and seat."""
        counts = self.payoffs[group][seat]
        counts[payoff] = counts.get(payoff, 0) + number

    def add_payoffs(self, table: Any) -> None:
        """Add a table of counts [group, seat, payoff + SMALL_PAYOFF]."""
        for group, seat, index in zip(*np.nonzero(table), strict=True):
            number = int(table[group, seat, index])
            self.count_payoff(int(group), int(seat), int(index) - SMALL_PAYOFF, number)

    def _shape(self) -> tuple[object, ...]:
        return (
            self.groups, self.slots, self.players, self.playouts_per_deal, self.stake,
            self.session_hands,
        )  # fmt: skip

    def empty(self) -> "Summary":
        """A summary of no deals that adds to this one."""
        return Summary(
            self.groups, self.players, self.playouts_per_deal, self.slots, self.stake,
            self.session_hands,
        )  # fmt: skip

    def __add__(self, other: "Summary") -> "Summary":
        if self._shape() != other._shape():
            raise ValueError("summaries of different lineups do not add")
        total = self.empty()
        total.n_deals = self.n_deals + other.n_deals
        for name in self.arrays:
            total.arrays[name] = self.arrays[name] + other.arrays[name]
        for each in (self, other):
            for g, seats in enumerate(each.payoffs):
                for seat, counts in enumerate(seats):
                    for payoff, number in counts.items():
                        total.count_payoff(g, seat, payoff, number)
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and self.as_dict() == other.as_dict()

    @property
    def playouts(self) -> int:
        """Number of playouts."""
        return self.n_deals * self.playouts_per_deal

    @property
    def n_drawn(self) -> int:
        """Deals, or sessions where hands are played in such: what intervals are over."""
        return self.n_deals // self.session_hands

    def estimate(self, metric: str, group: str, level: float = LEVEL) -> Estimate:
        """Mean of one of METRICS per playout and slot, with its interval over deals or sessions."""
        metric = current(metric)
        g, m, n = self.groups.index(group), METRICS.index(metric), self.n_drawn
        total, squares = self.arrays["sums"][m, g], self.arrays["products"][m, g, g]
        slots = self.slots[g]
        per_deal = self.session_hands * self.playouts_per_deal * slots
        if n and slots == self.players and metric != "cards_left":  # one wins, payoffs cancel
            return known(1 / self.players if metric == "win_rate" else 0.0, n)
        if metric == "win_rate":
            sums = (total, n * per_deal, squares, per_deal * total, n * per_deal**2)
            return share_over_deals(*sums, n, 1 / slots, level)
        e = mean_over_deals(total, squares, n, per_deal, level)
        scale = self.stake if metric == "payoff" else 1
        return Estimate(e.mean * scale, e.low * scale, e.high * scale, n)

    def _repr_html_(self) -> str:
        rows = []
        for group in self.groups:
            found = (self.estimate(metric, group) for metric in METRICS)
            cells = (
                f"{e.mean:.4g}" if e.low == e.high
                else f"{e.mean:.4g} ({e.low:.4g} to {e.high:.4g})"
                for e in found
            )  # fmt: skip
            rows.append((group, *(text.replace("nan", "?") for text in cells)))
        return (
            f"<p>{self.n_deals:,} deals, {self.playouts:,} playouts; in brackets 95 % intervals "
            f"over deals</p>{table(rows, ('strategy', 'win rate', 'payoff', 'cards left'))}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "groups": self.groups,
            "slots": self.slots,
            "stake": self.stake,
            "players": self.players,
            "playouts_per_deal": self.playouts_per_deal,
            "n_deals": self.n_deals,
            **({"session_hands": self.session_hands} if self.session_hands > 1 else {}),
            **{name: array.tolist() for name, array in self.arrays.items()},
            "payoffs": [[sorted(c.items()) for c in seats] for seats in self.payoffs],
        }

    def contradiction(self) -> str:
        """Two of its sums that cannot both be right, "" if all agree: they were not all counted."""
        a, n = self.arrays, self.n_drawn
        of_seat = np.array([[sum(c.values()) for c in seats] for seats in self.payoffs], object)
        payoffs = [sum(p * k for c in seats for p, k in c.items()) for seats in self.payoffs]
        cards = (a["left"] * np.arange(MAX_HAND + 1)).sum(axis=(1, 2))
        win, payoff, left = a["sums"]
        totals = np.array([self.playouts * slots for slots in self.slots], object)
        squares = np.array([np.diagonal(each) for each in a["products"]])
        agree = {
            "seat_count": (a["seat_count"].sum(axis=1) == totals).all(),
            "left": (a["left"].sum(axis=2) == a["seat_count"]).all(),
            "payoffs": (of_seat == a["seat_count"]).all() and (payoff == payoffs).all(),
            "seat_wins": (a["seat_wins"].sum(axis=1) == win).all() and win.sum() == self.playouts,
            "cards_left": (cards == left).all(),
            "kinds": a["kinds"].sum() == self.playouts,
            "products": all(
                (n * s >= x * x).all() for s, x in zip(squares, a["sums"], strict=True)
            ),
            "seat_products": (n * a["seat_products"][0] >= a["seat_count"] ** 2).all()
            and (n * a["seat_products"][2] >= a["seat_wins"] ** 2).all(),
        }
        counts = ("seat_count", "seat_wins", "left", "kinds", "lengths")
        below = [name for name in counts if (a[name] < 0).any()]
        return next((name for name, fine in agree.items() if not fine), "") or "".join(below[:1])

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Summary":
        """Undo `as_dict`."""
        found = cls(
            data["groups"], data["players"], data["playouts_per_deal"], data["slots"],
            data["stake"], data.get("session_hands", 1),
        )  # fmt: skip
        found.n_deals = data["n_deals"]
        for name, array in found.arrays.items():
            values = np.array(data[name], object)
            if values.shape != array.shape:
                raise ValueError(f"tally {name} has shape {values.shape}, not {array.shape}")
            if not all(type(value) is int for value in values.flat):
                raise ValueError(f"tally {name} holds what is no whole number")
            found.arrays[name] = values
        stated = data["payoffs"]
        if [len(seats) for seats in stated] != [len(seats) for seats in found.payoffs]:
            raise ValueError("payoffs are not those of every group and seat")
        if not all(type(x) is int for seats in stated for c in seats for pair in c for x in pair):
            raise ValueError("payoffs hold what is no whole number")
        found.payoffs = [[dict(c) for c in seats] for seats in stated]
        return found
