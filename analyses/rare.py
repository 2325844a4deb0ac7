"""How often rare things happen, with exact intervals."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyses.intervals import LEVEL, clopper_pearson, effective_number
from simcore.game.kinds import KINDS, SIZES
from simcore.runs.reading import Block, Source, blocks, read_run

# What events look at.
COLUMNS = ("seating", "starter", "winner", "last_kind", "winner_multiplier", "cards_left")
_DRAGONS = ("dragon", "flush_dragon")
_FOURS = ("bare_four", "four_of_a_kind", "straight_flush", "royal_flush")
Rules = Any  # a RuleSet


def _won_with(*kinds: str) -> Callable[[Block], Any]:
    """Whether the last play was of one of the kinds."""
    numbers = [KINDS.index(kind) for kind in kinds]
    return lambda block: np.isin(block.columns["last_kind"], numbers)


def _untouched(block: Block) -> Any:
    """int[D, K]: seats that did not play a card; the starter, who leads, always did."""
    return (block.columns["cards_left"] == block.dealt).sum(axis=2)


def _grand_slam(block: Block) -> Any:
    """The starter won, and nobody else played a card."""
    starter_won = block.columns["winner"] == block.columns["starter"]
    return starter_won & (_untouched(block) == block.players - 1)


def _allows(*kinds: str) -> Callable[[Rules, int], bool]:
    """Whether the rules have one of the kinds, and hands of as many cards."""

    def possible(rules: Rules, dealt: int) -> bool:
        return any(k in rules.kinds_allowed and dealt >= SIZES[KINDS.index(k)] for k in kinds)

    return possible


def _multiplies(rules: Rules, dealt: int) -> bool:
    """Whether some last play multiplies payoffs."""
    can_finish = {
        "finish_two": True,
        "finish_opening_card": True,
        "grand_slam": True,
        "finish_monster": _allows("dragon", *rules.payoff_monsters)(rules, dealt),
        "finish_flush_dragon": _allows("flush_dragon")(rules, dealt),
    }
    return any(
        able and getattr(rules, f"payoff_{item}").times > 1 for item, able in can_finish.items()
    )


class Event(NamedTuple):
    """Something that may happen in a playout."""

    words: str
    happened: Callable[[Block], Any]  # bool[D, K]
    # whether the rules, with hands of so many cards, can bring it
    possible: Callable[[Rules, int], bool] = lambda rules, dealt: True


EVENTS = {
    "dragon": Event("won with a dragon", _won_with(*_DRAGONS), _allows(*_DRAGONS)),
    "flush_dragon": Event(
        "won with a flush dragon", _won_with("flush_dragon"), _allows("flush_dragon")
    ),
    "bomb": Event(
        "won with four of a kind or a straight flush",
        _won_with(*_FOURS),
        _allows(*_FOURS),
    ),
    "grand_slam": Event("grand slam: nobody but the winner played a card", _grand_slam),
    "stuck": Event("a loser left with every card", lambda block: _untouched(block) > 0),
    "rout": Event(
        "every loser left with ten cards or more",
        lambda block: (block.columns["cards_left"] >= 10).sum(axis=2) == block.players - 1,
        lambda rules, dealt: dealt >= 10,
    ),
    "multiplied": Event(
        "payoffs multiplied by the last play",
        lambda block: block.columns["winner_multiplier"] > 1,
        _multiplies,
    ),
}


def rare_events(run: Source, level: float = LEVEL) -> pd.DataFrame:
    """How often each of EVENTS that the run's rules can bring happens, per playout and per deal.

    Columns: event, playouts (with it), rate (share of playouts), rate_low, rate_high, deals_with
    (deals with it in at least one seating), deal_rate, deal_rate_low, deal_rate_high, deals,
    example ("deal/seating" of the first playout with it, "" if there is none).

    Deals are independent, so deal_rate has the exact interval of Clopper and Pearson (Biometrika
    1934). The playouts of one deal are not: rate has the same interval for the effective number of
    playouts (analyses.intervals.effective_number). Both cover with at
    least `level`. One deal gives an interval as well: a wide one.
    """
    rules = None
    if not isinstance(run, Block):
        run = read_run(run)
        rules = run.rules
    sums = np.zeros((len(EVENTS), 3), np.int64)
    examples = [""] * len(EVENTS)
    n = per_deal = dealt = 0
    for block in blocks(run, COLUMNS):
        n, per_deal, dealt = n + len(block), block.seatings, block.dealt
        for i, event in enumerate(EVENTS.values()):
            happened = event.happened(block)
            counts = happened.sum(axis=1)
            if not examples[i] and counts.any():
                d, k = np.argwhere(happened)[0]
                examples[i] = f"{block.deal[d, k]}/{block.columns['seating'][d, k]}"
            sums[i] += [counts.sum(), (counts * counts).sum(), (counts > 0).sum()]
    rows = []
    for event, example, (count, squares, deals_with) in zip(
        EVENTS.values(), examples, sums.tolist(), strict=True
    ):
        if rules is not None and not event.possible(rules, dealt):
            continue
        rate = count / n / per_deal
        variance = (squares - count * count / n) / max(1, n - 1) / n / per_deal**2
        number = effective_number(rate, variance, n * per_deal, n, level)
        low, high = clopper_pearson(rate * number, number, level)
        deal_low, deal_high = clopper_pearson(deals_with, n, level)
        rows.append(
            {
                "event": event.words,
                "playouts": count, "rate": rate, "rate_low": low, "rate_high": high,
                "deals_with": deals_with, "deal_rate": deals_with / n,
                "deal_rate_low": deal_low, "deal_rate_high": deal_high,
                "deals": n, "example": example,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)
