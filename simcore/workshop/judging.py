"""Two strategies at one table, half of the seats each: who is paid more, on held-out deals."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from simcore.game.ruleset import RuleSet
from simcore.game.seatings import ORDER
from simcore.simulation.setup import Setup, Workspace, make_setup
from simcore.statistics import t_quantile
from simcore.strategies.registry import Entrant

HELD_OUT = 2**61  # the first deal of judgements; rounds of training begin at deal 0


@dataclass(frozen=True)
class Judgement:
    """Payoff of the network less that of another strategy, a playout, two of each at a table."""

    playouts: int  # of training, before
    seconds: float
    against: str
    players: int
    deals: int
    gain: float
    gain_half_width: float  # 95 %


def gains(setup: Setup, first_deal: int, deals: int) -> Any:
    """Payoff of a seat of the first entrant less that of another's: float64, by deal or session."""
    rows = Workspace(setup).play(first_deal, deals)
    slots = ORDER[setup.players, rows["seating"]][:, : setup.players]
    name = setup.lineup[0].name
    own = np.array([entrant.name == name for entrant in setup.lineup])[slots]
    paid = np.asarray(rows["payoff"], np.float64).T
    gain = (paid * own).sum(axis=1) / own.sum(axis=1)
    gain -= (paid * ~own).sum(axis=1) / (~own).sum(axis=1)
    return gain.reshape(deals // setup.session_hands, -1).mean(axis=1)


def judge(
    pool: ThreadPoolExecutor,
    rules: RuleSet,
    mine: Entrant,
    other: Entrant,
    seed: int,
    players: int,
    deals: int,
    first_deal: int,
) -> tuple[int, float, float]:
    """(deals or sessions, mean gain of `mine` over `other` a playout, half its 95 % interval).

    first_deal: counted from HELD_OUT.
    """
    lineup = [mine if slot % 2 == 0 else other for slot in range(players)]
    setup = make_setup(rules, lineup, seed, players, "balanced")
    hands = setup.session_hands
    step = max(hands, 100 // hands * hands)
    first = (HELD_OUT + first_deal) // hands * hands
    jobs = [
        pool.submit(gains, setup, begin, min(step, first + deals - begin))
        for begin in range(first, first + deals, step)
    ]
    found = np.concatenate([job.result() for job in jobs])
    half = t_quantile(0.95, len(found) - 1) * float(found.std(ddof=1)) / math.sqrt(len(found))
    return len(found), float(found.mean()), half
