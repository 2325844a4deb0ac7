"""A laboratory for Big Two: exact rules, millions of playouts a minute, answers with error bars.

load_rules(name_or_path)                    a rule set, checked
classify(rules, cards)                      what cards form
beats(rules, play, to_beat)                 does it beat that
legal_plays(rules, hand, to_beat=None, …)   every legal play
payoffs(rules, winner, left, last_play, …)  who pays what
simulate(rules, lineup, deals, seed=0, …)   play many deals
replay(rules, lineup, seed, deal, …)        one playout, turn by turn
decide(rules, strategy, hand, to_beat, …)   one decision, in a position of yours
Player(rules, strategy, …).decide(hand, …)  many decisions, quickly
evaluate(rules, hand, to_beat=None, …)      what each play of a position is worth
compare(entrants, deals, rules, …)          which strategy is better, on the same deals
rate(entrants, deals, rules, …)             one number for each of many strategies
compare_rules(rules, lineup, deals, …)      what rules do, on the same cards
tune(strategy, rules, against, budget, …)   better parameters for a strategy
train(rules, out, budget, …)                a network that plays
verify(run, …), combine(runs, out), export(run, to, out)   runs on disk
report(runs, …)                             a page to pass on
analyses                                    answers from runs, as frames of pandas
strategy                                    the decorator that makes a strategy
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import analyses
    from analyses.played import compare, compare_rules, rate
    from analyses.report import report
    from simcore.decision import Decision, Player, decide
    from simcore.errors import BigTwoError, InputError, RunError, StrategyError
    from simcore.evaluation import evaluate
    from simcore.game.ruleset import RuleSet, load_rules
    from simcore.rulebook import Combination, beats, classify, legal_plays, payoffs
    from simcore.runs.combine import combine
    from simcore.runs.export import export
    from simcore.runs.simulate import simulate
    from simcore.runs.verify import verify
    from simcore.simulation.replay import Replay, replay
    from simcore.strategies.interface import strategy
    from simcore.strategies.parameters import Parameter
    from simcore.strategies.position import Play, Position
    from simcore.workshop.training import train
    from simcore.workshop.tuning import tune
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
    "Player": "simcore.decision",
    "evaluate": "simcore.evaluation",
    "Evaluation": "simcore.worths",
    "strategy": "simcore.strategies.interface",
    "combine": "simcore.runs.combine",
    "compare": "analyses.played",
    "compare_rules": "analyses.played",
    "export": "simcore.runs.export",
    "rate": "analyses.played",
    "report": "analyses.report",
    "train": "simcore.workshop.training",
    "tune": "simcore.workshop.tuning",
    "verify": "simcore.runs.verify",
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
    "Player",
    "Position",
    "Replay",
    "RuleSet",
    "RunError",
    "StrategyError",
    "analyses",
    "beats",
    "classify",
    "combine",
    "compare",
    "compare_rules",
    "decide",
    "evaluate",
    "export",
    "legal_plays",
    "load_rules",
    "payoffs",
    "rate",
    "replay",
    "report",
    "simulate",
    "strategy",
    "train",
    "tune",
    "verify",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if name == "analyses" or (home is not None and home.startswith("analyses.")):
        own = import_module("simcore.packages").own_analyses()
        if home is None:
            return own
        return getattr(import_module(home.replace("analyses", own.__name__, 1)), name)
    if home is not None:
        return getattr(import_module(home), name)
    from difflib import get_close_matches

    near = get_close_matches(name, __all__, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise AttributeError(f"module 'simcore' has no attribute {name!r}{hint}")
