"""The identity of a run: what determines its results, and nothing else.

value -> text -> hash, each step public: `identity` (plain data), `identity_text` (canonical JSON),
`run_id` (SHA-256 of it). Where and how fast a run was played is no part of it, nor is its length.

A stored run keeps the identity, and the id, that it was begun with. Whether two runs are the same
is asked of their `normalised` identities: what earlier versions wrote otherwise is translated.
"""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simcore import ENGINE_VERSION
from simcore.errors import BigTwoError, RunError
from simcore.game.ruleset import RuleSet
from simcore.plain_data import is_file
from simcore.strategies.host import PROGRAM
from simcore.strategies.source import source_hash

if TYPE_CHECKING:  # a reader of results does not wait for the compiler
    from simcore.simulation.setup import Setup
    from simcore.strategies.networks import Network
    from simcore.strategies.registry import Entrant

# Version 0.1.0 knew a built-in strategy by the bytes of its file; these are now its version 1.
VERSION_1 = {
    "random": "3814f7a73a1b144b",
    "lowest": "198d5d99078dcd9a",
    "highest": "4a0cb3bebe908a6d",
    "dump": "71b97e1c8d934cbb",
    "keep": "076209e717cc6051",
    "minplays": "35b7338ea5146f3f",
    "smart": "ad2340ecb7fc66d9",
    "linear": "4afb70980d84fa55",
    "control": "1674b4dd982ddc2a",
    "rollout": "dd981c2154dd9477",
    "timeout": "3d85e6f68084ed63",
}


def identity(setup: "Setup") -> dict[str, Any]:
    """Plain data that determines every playout of the run."""
    return {
        "engine_version": ENGINE_VERSION,
        "rules": setup.rules.as_dict(),
        "lineup": [_entrant(entrant) for entrant in setup.lineup],
        "seed": setup.seed,
        "players": setup.players,
        "seatings": setup.seatings,
        "stake": setup.stake,
    }


def _entrant(entrant: "Entrant") -> dict[str, Any]:
    strategy = entrant.strategy
    keys = (key for key, _ in strategy.defaults)
    found: dict[str, Any] = {
        "name": entrant.name,
        "params": dict(zip(keys, entrant.params, strict=True)),
    }
    if strategy.version is not None:
        found["version"] = strategy.version
    else:
        found["source"] = strategy.source_hash
    if entrant.network is not None:
        found["network"] = entrant.network.hash
    return found | ({"noise": entrant.noise} if entrant.noise else {})


def strategy_of(name: str) -> str:
    """The strategy of an entrant's name: "keep" of "noisy:base=keep:danger=3:epsilon=0.2"."""
    parts = name.removeprefix("noisy:base=").split(":")
    return ":".join(part for part in parts if "=" not in part)


def normalised(value: dict[str, Any]) -> dict[str, Any]:
    """An identity as this version would write it, whichever wrote it. Raises RunError."""
    try:
        lineup = []
        for entrant in value["lineup"]:
            known = VERSION_1.get(strategy_of(entrant["name"]))
            if known is not None and entrant.get("source") == known:
                entrant = {k: v for k, v in entrant.items() if k != "source"} | {"version": 1}
            lineup.append(entrant)
        rules = RuleSet.from_dict(value["rules"]).as_dict()
    except BigTwoError as error:
        raise RunError(f"run.json names rules that are none: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunError(
            f"run.json does not say what was played ({type(error).__name__}: {error}); restore it "
            "from a copy"
        ) from None
    found: dict[str, Any] = _plain({**value, "rules": rules, "lineup": lineup})
    return found


def _plain(value: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    return json.loads(json.dumps(value))


def identity_text(value: dict[str, Any]) -> str:
    """Canonical JSON: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def run_id(value: dict[str, Any]) -> str:
    """16 hex digits that name the run."""
    return hashlib.sha256(identity_text(value).encode()).hexdigest()[:16]


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What differs between two identities of any version, as "key: old → new".

    What rules are called is no part of what was played.
    """
    if old == new:
        return []
    a, b = normalised(old), normalised(new)
    for key in ("name", "title"):
        del a["rules"][key], b["rules"][key]
    return _differences(a, b, "")


def _differences(old: dict[str, Any], new: dict[str, Any], prefix: str) -> list[str]:
    found: list[str] = []
    for key in sorted(old.keys() | new.keys()):
        a, b = old.get(key), new.get(key)
        if a == b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            found += _differences(a, b, f"{prefix}{key}.")
        elif key == "lineup" and isinstance(a, list) and isinstance(b, list):
            found.append(f"{prefix}lineup: {_of_lineups(a, b)}")
        else:
            found.append(f"{prefix}{key}: {a} → {b}")
    return found


def _of_lineups(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> str:
    """What differs between two lineups, in a few words."""
    names = [",".join(entrant["name"] for entrant in x) for x in (old, new)]
    if names[0] != names[1]:
        return f"{names[0]} → {names[1]}"
    for a, b in zip(old, new, strict=True):
        if a.get("version") != b.get("version"):
            return f"{a['name']} is another version"
        if a.get("source") != b.get("source"):
            return "a strategy's code changed"
        if a.get("network") != b.get("network"):
            return f"{a['name']} has another network"
        if a != b:
            return f"{a['name']} has other parameters"
    raise AssertionError("lineups are equal")


def code_of_others(value: dict[str, Any]) -> list[str]:
    """Strategies of an identity that are not the laboratory's: to play them is to execute them."""
    from simcore.strategies.registry import BUILT_IN

    names = dict.fromkeys(strategy_of(entrant["name"]) for entrant in value["lineup"])
    return [name for name in names if name not in BUILT_IN]


def setup_of(value: dict[str, Any], trust: bool = False) -> "Setup":
    """The setup of an identity, to play its deals again.

    trust: whether strategies that are not the laboratory's may be loaded, which executes their
    files; a file whose hash is not the stored one is not. Raises RunError for code that must not be
    loaded, or if the engine or a strategy's code is not the one that played the run.
    """
    from simcore.simulation.setup import make_setup

    who = normalised(value)
    if not trust:
        others = code_of_others(who)
        if others:
            raise RunError(
                f"to play the run again, {', '.join(others)} would be executed, which the run "
                "itself names; look at that code, then give --trust"
            )
    for entrant in who["lineup"]:
        name = strategy_of(entrant["name"])
        file = Path(name if name.endswith(PROGRAM) else name.rpartition(":")[0])
        code = file.suffix in (".py", PROGRAM) and is_file(file)
        if code and source_of(file) != entrant.get("source"):
            raise _other_code(who)
    setup = make_setup(
        RuleSet.from_dict(who["rules"]),
        [_stored_entrant(entrant) for entrant in who["lineup"]],
        who["seed"],
        who["players"],
        who["seatings"],
        who["stake"],
    )
    found = differences(value, identity(setup))
    if found == ["lineup: a strategy's code changed"]:
        raise _other_code(who)
    if found:
        raise RunError(
            "this engine would not play the run's deals as they were played "
            f"({'; '.join(found[:3])}); "
            "use the versions that run.json names"
        )
    return setup


def source_of(file: Path) -> str:
    """The hash by which a strategy of a file is known: of all its files, and of its program."""
    if file.suffix == PROGRAM:
        from simcore.strategies.program import read_program

        return read_program(str(file)).source
    return source_hash(file)


def _other_code(who: dict[str, Any]) -> RunError:
    names = ", ".join(dict.fromkeys(entrant["name"] for entrant in who["lineup"]))
    return RunError(
        f"the code of a strategy in {names} is not the one that played the run; restore its file "
        "as it was, or start another run"
    )


def _stored_entrant(stored: dict[str, Any]) -> "Entrant":
    """An entrant with the parameters that it had, whatever weights ship today."""
    from simcore.strategies.registry import Entrant, load_strategy

    strategy = load_strategy(strategy_of(stored["name"]))
    if stored.get("version", strategy.version) != strategy.version:
        raise RunError(
            f"strategy {stored['name']!r} is version {strategy.version} today, and version "
            f"{stored['version']} played the run; use the versions that run.json names"
        )
    defaults, params = dict(strategy.defaults), stored["params"]
    for key in params:
        if key not in defaults:
            raise RunError(
                f"strategy {stored['name']!r} has no parameter {key!r} today; use the versions "
                "that run.json names"
            )
    values = tuple(float(params.get(key, default)) for key, default in strategy.defaults)
    noise = float(stored.get("noise", 0.0))
    return Entrant(stored["name"], strategy, values, noise, tuple(defaults), None, _network(stored))


def _network(stored: dict[str, Any]) -> "Network | None":
    """The weights by which a stored entrant played, known by their hash. Raises RunError."""
    wanted = stored.get("network")
    if wanted is None:
        return None
    from simcore.strategies.networks import network_by_hash, read_network

    found = network_by_hash(wanted)
    for part in stored["name"].split(":"):
        if found is None and part.startswith("weights="):
            found = read_network(part.removeprefix("weights="))
    if found is None or found.hash != wanted:
        raise RunError(
            f"strategy {stored['name']!r} played with the network {wanted}, which is not here; "
            "restore its file"
        )
    return found
