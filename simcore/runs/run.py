"""The identity of a run: what determines its results, and nothing else.

value -> text -> hash, each step public: `identity` (plain data), `identity_text` (canonical JSON),
`run_id` (SHA-256 of it). Where and how fast a run was played is no part of it, nor is its length.
"""

import hashlib
import json
from typing import TYPE_CHECKING, Any

from simcore import ENGINE_VERSION
from simcore.errors import RunError
from simcore.game.ruleset import RuleSet

if TYPE_CHECKING:  # a reader of results does not wait for the compiler
    from simcore.simulation.setup import Setup


def identity(setup: "Setup") -> dict[str, Any]:
    """Plain data that determines every playout of the run."""
    return {
        "engine_version": ENGINE_VERSION,
        "rules": setup.rules.as_dict(),
        "lineup": [
            {
                "name": entrant.name,
                "params": dict(
                    zip((k for k, _ in entrant.strategy.defaults), entrant.params, strict=True)
                ),
                "source": entrant.strategy.source_hash,
                **({"noise": entrant.noise} if entrant.noise else {}),
            }
            for entrant in setup.lineup
        ],
        "seed": setup.seed,
        "players": setup.players,
        "seatings": setup.seatings,
        "stake": setup.stake,
    }


def identity_text(value: dict[str, Any]) -> str:
    """Canonical JSON: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def run_id(value: dict[str, Any]) -> str:
    """16 hex digits that name the run."""
    return hashlib.sha256(identity_text(value).encode()).hexdigest()[:16]


def differences(old: dict[str, Any], new: dict[str, Any], prefix: str = "") -> list[str]:
    """What differs between two identities, as "key: old → new"."""
    found: list[str] = []
    for key in sorted(old.keys() | new.keys()):
        a, b = _plain(old.get(key)), _plain(new.get(key))
        if a == b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            found += differences(a, b, f"{prefix}{key}.")
        elif key == "lineup" and isinstance(a, list) and isinstance(b, list):
            names = [",".join(e["name"] for e in x) for x in (a, b)]
            same = names[0] == names[1]
            found.append(
                f"{prefix}lineup: "
                + ("a strategy's code changed" if same else f"{names[0]} → {names[1]}")
            )
        else:
            found.append(f"{prefix}{key}: {a} → {b}")
    return found


def _plain(value: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    return json.loads(json.dumps(value))


def setup_of(value: dict[str, Any]) -> "Setup":
    """The setup of an identity, to play its deals again.

    Raises RunError if the engine or a strategy's code is not the one that played the run.
    """
    from simcore.simulation.setup import make_setup

    names = [entrant["name"] for entrant in value["lineup"]]
    rules = RuleSet.from_dict(value["rules"])
    setup = make_setup(
        rules, names, value["seed"], value["players"], value["seatings"], value["stake"]
    )
    found = differences(value, identity(setup))
    if found == ["lineup: a strategy's code changed"]:
        raise RunError(
            f"the code of a strategy in {', '.join(dict.fromkeys(names))} is not the one that "
            "played the run; restore its file as it was, or start another run"
        )
    if found:
        raise RunError(
            "this engine would not play the run's deals as they were played "
            f"({'; '.join(found[:3])}); "
            "use the versions that run.json names"
        )
    return setup
