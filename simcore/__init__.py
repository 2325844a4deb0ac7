"""A laboratory for Big Two: exact rules, millions of playouts a minute, answers with error bars.

load_rules(name_or_path)                    a rule set, checked
classify(rules, cards)                      what cards form
beats(rules, play, to_beat)                 does it beat that
legal_plays(rules, hand, to_beat=None, …)   every legal play
payoffs(rules, winner, left, last_play, …)  who pays what
simulate(rules, lineup, deals, seed=0, …)   play many deals
replay(rules, lineup, seed, deal, …)        one playout, turn by turn
decide(rules, strategy, hand, to_beat, …)   one decision, in a position of yours
evaluate(rules, hand, to_beat=None, …)      what each play of a position is worth
strategy                                    the decorator that makes a strategy
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.decision import Decision, decide
    from simcore.errors import BigTwoError, InputError, RunError, StrategyError
    from simcore.evaluation import evaluate
    from simcore.game.ruleset import RuleSet, load_rules
    from simcore.rulebook import Combination, beats, classify, legal_plays, payoffs
    from simcore.runs.simulate import simulate
    from simcore.simulation.replay import Replay, replay
    from simcore.strategies.interface import strategy
    from simcore.strategies.parameters import Parameter
    from simcore.strategies.position import Play, Position
    from simcore.worths import Evaluation

__version__ = "0.2.0"
ENGINE_VERSION = 1  # changes whenever the same seed gives other playouts

# Imported on first use: the compiler takes half a second that a reader of results need not wait.
_HOME = {
    "BigTwoError": "simcore.errors",
    "InputError": "simcore.errors",
    "RunError": "simcore.errors",
    "StrategyError": "simcore.errors",
    "RuleSet": "simcore.game.ruleset",
    "load_rules": "simcore.game.ruleset",
    "Combination": "simcore.rulebook",
    "beats": "simcore.rulebook",
    "classify": "simcore.rulebook",
    "legal_plays": "simcore.rulebook",
    "payoffs": "simcore.rulebook",
    "simulate": "simcore.runs.simulate",
    "Replay": "simcore.simulation.replay",
    "replay": "simcore.simulation.replay",
    "decide": "simcore.decision",
    "Decision": "simcore.decision",
    "evaluate": "simcore.evaluation",
    "Evaluation": "simcore.worths",
    "strategy": "simcore.strategies.interface",
    "Parameter": "simcore.strategies.parameters",
    "Play": "simcore.strategies.position",
    "Position": "simcore.strategies.position",
}
__all__ = [
    "BigTwoError",
    "Combination",
    "Decision",
    "Evaluation",
    "InputError",
    "Parameter",
    "Play",
    "Position",
    "Replay",
    "RuleSet",
    "RunError",
    "StrategyError",
    "beats",
    "classify",
    "decide",
    "evaluate",
    "legal_plays",
    "load_rules",
    "payoffs",
    "replay",
    "simulate",
    "strategy",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'simcore' has no attribute {name!r}")
