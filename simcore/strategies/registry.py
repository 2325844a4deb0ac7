"""Finding strategies by name, entry point, module or file, and reading lineups."""

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from simcore.errors import InputError, nearest, shown
from simcore.game.ruleset import RuleSet
from simcore.plain_data import is_file
from simcore.strategies.guest import Guest
from simcore.strategies.host import PROGRAM, Host
from simcore.strategies.interface import Strategy
from simcore.strategies.loading import load_code
from simcore.strategies.networks import Network, network_for, read_network
from simcore.strategies.parameters import Parameter
from simcore.strategies.plain import PlainStrategy
from simcore.strategies.weights import read_weights, shipped_weights, weights_file

BUILT_IN = (
    *("random", "lowest", "highest", "dump", "keep", "minplays"),
    *("smart", "linear", "control", "net", "rollout", "timeout"),
)
NOISY = "noisy"  # needs a base to play


@dataclass(frozen=True)
class Entrant:
    """A strategy in one slot of a lineup, with its parameters."""

    name: str  # as written: the strategy and the parameters that differ from its defaults
    strategy: Strategy
    params: tuple[float, ...]
    noise: float = 0.0  # how often it plays at random instead
    given: tuple[str, ...] = ()  # parameters that were asked for; weights that ship spare them
    file: str | None = None  # the weights file that was asked for
    network: Network | None = None  # of a strategy that plays by one

    def tuned_for(self, rules: RuleSet) -> "Entrant":
        """With the weights that ship for a rule set, where its strategy has such."""
        network = self.network
        if network is None and self.strategy.networks:
            network = network_for(rules)
        if not self.strategy.weights:
            return replace(self, network=network)
        shipped: dict[str, float] = {}
        for family in self.strategy.weights:
            shipped |= shipped_weights(family, rules)
        params = tuple(
            value if p.name in self.given else shipped.get(p.name, value)
            for p, value in zip(self.strategy.parameters, self.params, strict=True)
        )
        return replace(self, params=params, network=network)


def relatives(lineup: Iterable[Entrant], rules: RuleSet) -> list[str]:
    """Sentences on entrants that play with weights made for another rule set."""
    found: dict[str, list[str]] = {}
    for entrant in lineup:
        families = [] if entrant.file else list(entrant.strategy.weights)
        files = [weights_file(family, rules) for family in families]
        names = {file.stem.rpartition("-")[2] for file in files if file is not None}
        if entrant.network is not None:
            names.add(entrant.network.rules)
        for name in names - {rules.name}:
            found.setdefault(name, []).append(entrant.strategy.name)
    return [
        f"{' and '.join(dict.fromkeys(strategies))}: weights of {name}, the nearest relative of "
        f"{rules.name}; `bigtwo tune` and `bigtwo train` make others"
        for name, strategies in found.items()
    ]


def strategy_names() -> list[str]:
    """Built-in strategies first, then those that installed packages bring."""
    return [*BUILT_IN, NOISY, *sorted(e.name for e in entry_points(group="bigtwo.strategies"))]


def of_user(place: str, attribute: str) -> Strategy:
    """`attribute` of a Python file or module, or a program's file: none is executed in here.

    One in plain Python, or a program, is asked in a process of its own; a compiled one is described
    by such a process, and plays in others (simcore.simulation.sandbox).
    """
    if _is_ours(place):
        found: Strategy = load_code(place, attribute)
        return found
    host = Host(place, attribute)
    about = host.describe()
    parameters = tuple(
        Parameter(**fields | {"words": tuple(fields.get("words", ()))}).named(key)
        for key, fields in about["parameters"].items()
    )
    if about["plain"]:
        return PlainStrategy(
            name=about["name"],
            plain=host.ask,
            doc=about["doc"],
            parameters=parameters,
            source_hash=about["source"],
            host=host,
        )
    return Guest(
        name=about["name"],
        plain=load_code,
        doc=about["doc"],
        parameters=parameters,
        source_hash=about["source"],
        weights=tuple(about["weights"]),
        networks=about["networks"],
        place=str(Path(place).absolute()) if place.endswith(".py") else place,
        attribute=attribute,
    )


def _is_ours(place: str) -> bool:
    """Whether a file or module is one of the engine's."""
    if place.endswith(".py"):
        return Path(place).resolve().is_relative_to(Path(__file__).resolve().parents[1])
    return place.partition(".")[0] == "simcore"


def load_strategy(name: str) -> Strategy:
    """The strategy `name`: built in, an entry point, `module:attribute`, `file.py:attribute`, or a
    program's `file.toml`.

    Raises InputError for a name that leads nowhere, StrategyError for code that does not load.
    """
    return _load(name, Path() if name in BUILT_IN else Path.cwd())


@lru_cache(maxsize=256)
def _load(name: str, folder: Path) -> Strategy:
    """`load_strategy`, remembered; folder: the one that a relative path starts from."""
    if name in BUILT_IN or name == NOISY:
        # `rollout` plays whole deals, so it lives above this room.
        room = "simulation" if name == "rollout" else "strategies"
        found: Strategy = getattr(importlib.import_module(f"simcore.{room}.{name}"), name)
        return found
    place, colon, attribute = name.rpartition(":")
    if name.endswith(".py") and is_file(name):
        raise InputError(f"{name!r} is a file; name the strategy in it, as in {name}:my_bot")
    if name.endswith(PROGRAM):
        if not is_file(name):
            raise InputError(f"strategy file {shown(name)} does not exist; check the path")
        return of_user(name, "")
    if colon:
        if place.endswith(PROGRAM):
            raise InputError(f"{shown(place)} is the file of a program; name it alone")
        if is_file(place) and not place.endswith(".py"):
            raise InputError(f"{shown(place)} is no Python file; a strategy is in a file NAME.py")
        if place.endswith(".py") and not is_file(place):
            raise InputError(f"strategy file {shown(place)} does not exist; check the path")
        return of_user(place, attribute)
    for entry in entry_points(group="bigtwo.strategies"):
        if entry.name == name:
            return of_user(entry.module, entry.attr)
    raise InputError(
        f"unknown strategy {shown(name)}; {nearest(name, strategy_names())} "
        "(or file.py:attribute, module:attribute, file.toml)"
    )


def parse_entrant(text: str) -> Entrant:
    """Read NAME, NAME:key=value, PLACE:attribute:key=value or noisy:base=ENTRANT:epsilon=0.2.

    `weights=FILE` takes parameters from a weights file; those given beside it count before it.
    Raises InputError, StrategyError.
    """
    parts = [part.strip() for part in text.split(":")]
    if parts[0] == NOISY:
        return _parse_noisy(text, parts[1:])
    given = [part for part in parts if "=" in part]
    name = ":".join(part for part in parts if "=" not in part)
    strategy = load_strategy(name)
    parameters = {p.name: p for p in strategy.parameters}
    asked: dict[str, str] = {}
    for part in given:
        key, _, value = part.partition("=")
        if key in asked:
            raise InputError(f"parameter {key} of {shown(name)} is given twice; give it once")
        takes_weights = bool(parameters) or strategy.networks
        if key not in parameters and not (key == "weights" and takes_weights):
            known = f"; {nearest(key, parameters)}" if parameters else "; it has no parameters"
            raise InputError(f"strategy {shown(name)} has no parameter {shown(key)}{known}")
        asked[key] = value
    file = asked.pop("weights", None)
    network, values = None, {}
    if file is not None and strategy.networks:
        network = read_network(file)
    elif file is not None:
        values = read_weights(file, name, strategy)
    values |= {key: parameters[key].read(value, name) for key, value in asked.items()}
    params = tuple(values.get(key, p.default) for key, p in parameters.items())
    changed = [f"weights={file}"] if file is not None else []
    changed += [
        f"{key}={p.write(values[key])}"
        for key, p in parameters.items()
        if key in asked and (values[key] != p.default or file is not None or strategy.weights)
    ]
    full = ":".join([name, *changed])
    return Entrant(full, strategy, params, 0.0, tuple(values), file, network)


def _parse_noisy(text: str, parts: list[str]) -> Entrant:
    """The base's entrant, with noise: `epsilon=` may stand before or behind `base=…`."""
    epsilons = [part for part in parts if part.startswith("epsilon=")]
    rest = [part for part in parts if not part.startswith("epsilon=")]
    (parameter,) = load_strategy(NOISY).parameters
    if len(epsilons) > 1:
        raise InputError(f"parameter epsilon of {shown(text)} is given twice; give it once")
    epsilon = parameter.default
    if epsilons:
        epsilon = parameter.read(epsilons[0].partition("=")[2], NOISY)
    if not rest or not rest[0].startswith("base="):
        raise InputError(f"{shown(text)} names no base; write noisy:base=dump:epsilon=0.2")
    if rest[0].removeprefix("base=").strip() == NOISY:
        raise InputError(f"the base of {shown(text)} is noisy itself; give it one epsilon")
    base = parse_entrant(":".join([rest[0].removeprefix("base="), *rest[1:]]))
    return replace(base, name=f"noisy:base={base.name}:epsilon={epsilon:g}", noise=epsilon)


def parse_lineup(
    lineup: str | Iterable[str | Entrant], players: int | None = None
) -> tuple[Entrant, ...]:
    """The entrants of "A,B,C,D", in slot order; fewer fill all `players` slots by turns: A,B,A,B.

    Raises InputError if their number does not divide `players`.
    """
    parts: Sequence[str | Entrant] = lineup.split(",") if isinstance(lineup, str) else list(lineup)
    if not all(parts) or not parts:
        raise InputError(
            f"the lineup {shown(lineup)} has an empty place; name one strategy, or one for each "
            "player"
        )
    entrants = tuple(p if isinstance(p, Entrant) else parse_entrant(p.strip()) for p in parts)
    if players is not None:
        if players % len(entrants):
            fitting = [str(n) for n in range(1, players) if players % n == 0]
            raise InputError(
                f"the lineup names {len(entrants)} strategies for {players} players; give "
                f"{', '.join(fitting)} (they fill all seats by turns) or {players}"
            )
        return entrants * (players // len(entrants))
    return entrants
