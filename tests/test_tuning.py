"""Guards `bigtwo tune` and weights files: end to end, going on after a stop, and bad input."""

import json
import tomllib
from pathlib import Path

import pytest

import simcore
from simcore.errors import InputError, RunError
from simcore.simulation.setup import make_setup
from simcore.strategies.registry import load_strategy, parse_entrant
from simcore.strategies.weights import SHIPPED, history, shipped_weights
from simcore.workshop.tuning import HELD_OUT, Tuner
from tests.command import data, line, refuse
from tests.support import EXACT

FEW = {"population": 6, "deals": 40, "verdict_deals": 400}
OPTIONS = "--population 6 --deals 40 --verdict-deals 400"


def tuner(out: Path, budget: int = 8000, strategy: str = "smart", **changes: object) -> Tuner:
    return Tuner(strategy, "maceplay", "dump,keep", budget, out, 3, **{**FEW, **changes})


def test_a_tuning_end_to_end(tmp_path: Path) -> None:
    """It finds better weights than a bad start, and the file plays what it says."""
    file = tmp_path / "weights.toml"
    start = "smart:rank=-3:card=-4"
    found = data(
        f"tune {start} --rules maceplay --against dump --budget 40k --out {file} {OPTIONS}"
    )
    assert found["complete"] and found["verdict"]["gain_low"] > 1
    document = tomllib.loads(file.read_text("utf-8"))
    assert document["strategy"] == "smart" and document["weights"] == found["weights"]
    assert [made["rules"] for made in document["made"]][-1] == "maceplay"
    entrant = parse_entrant(f"smart:weights={file}")
    assert dict(zip(found["weights"], entrant.params, strict=True)) == found["weights"]
    played = simcore.simulate(
        "maceplay", [entrant, *["dump"] * 3], 200, seed=0, first_deal=HELD_OUT, summary_only=True
    )
    assert played.summary.n_deals == 200


def test_a_stopped_tuning_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    whole = tuner(tmp_path / "whole.toml").run()
    half = tuner(tmp_path / "half.toml")

    def stop(playouts: int, mean: float) -> None:
        half.stop = playouts >= 4000

    assert not half.run(stop).complete
    log = tmp_path / "half.toml.log"
    log.write_text(log.read_text("utf-8") + '{"drawn": 1, "pay', "utf-8")  # cut off while written
    again = tuner(tmp_path / "half.toml", threads=2).run()
    assert again == whole and again.complete


def test_the_log_of_another_tuning_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "w.toml"
    tuner(out).run()
    with pytest.raises(RunError, match="deals differ"):
        tuner(out, deals=50).run()
    (tmp_path / "w.toml.log").write_text("no log\n", "utf-8")
    with pytest.raises(RunError, match="no log"):
        tuner(out).run()


def test_a_tuning_keeps_to_the_bounds(tmp_path: Path) -> None:
    """However far the search goes, what it tries is a strategy that a lineup may name."""
    file = tmp_path / "weights.toml"
    tuning = tuner(file, 2000, "control", only="solve,draws", deals=10, verdict_deals=10)
    keys = [key for key, _ in tuning.start.strategy.defaults]
    for point, solve, draws in ((-1e6, 0, 1), (1e9, 12, 10_000)):
        params = dict(zip(keys, tuning.entrant([point, point]).params, strict=True))
        assert (params["solve"], params["draws"]) == (solve, draws)
    tuning.run()
    parse_entrant(f"control:weights={file}")


def test_only_some_parameters(tmp_path: Path) -> None:
    tuned = tuner(tmp_path / "w.toml", only="two, card").run()
    assert set(tuned.weights) == {"two", "card"}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("tune random", ["random", "no parameters"]),
        ("tune linear --budget lots", ["'lots'", "2m"]),
        ("tune linear --budget 5k", ["5,000", "one generation"]),
        ("tune linear --only lead_pairs", ["'lead_pairs'", "did you mean lead_pair"]),
        ("tune linear --population 2", ["population 2", "4 to 1000"]),
        ("tune linear --deals 3", ["3 deals", "10 to"]),
        ("tune linear --out /nowhere/w.toml", ["/nowhere", "does not exist"]),
        ("tune linear --against smrat", ["'smrat'", "smart"]),
    ],
)
def test_bad_input(command: str, words: list[str]) -> None:
    refuse(line(command), *words)


# Weights files


def weights(tmp_path: Path, text: str) -> str:
    file = tmp_path / "w.toml"
    file.write_text(text, "utf-8")
    return f"linear:weights={file}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[weights", "not valid TOML"),
        ("strategy = 'linear'", r"no table \[weights\]"),
        ("[weights]\nlead_pair = 'x'", "lead_pair .* finite number"),
        ("[weights]\nlead_pair = nan", "lead_pair .* finite number"),
        ("[weights]\nlead_pear = 1", "'lead_pear'; did you mean lead_pair"),
        ("strategy = 'smart'\n[weights]\nlead_pair = 1", "'smart', not of 'linear'"),
    ],
)
def test_a_bad_weights_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_entrant(weights(tmp_path, text))
    with pytest.raises(InputError, match="cannot be read"):
        parse_entrant(f"linear:weights={tmp_path}/none.toml")


def test_what_is_given_counts_before_the_file_and_the_file_before_what_ships(
    tmp_path: Path,
) -> None:
    name = weights(tmp_path, "[weights]\nlead_pair = 5\nlead_triple = 6")
    entrant = make_setup("maceplay", f"{name}:lead_pair=7").lineup[0]
    params = dict(zip((k for k, _ in entrant.strategy.defaults), entrant.params, strict=True))
    assert (params["lead_pair"], params["lead_triple"]) == (7, 6)
    shipped = shipped_weights("linear", simcore.load_rules("maceplay"))
    assert params["lead_five"] == shipped["lead_five"]


@pytest.mark.parametrize("family", ["linear", "smart", "control"])
def test_weights_ship_for_the_four_rule_sets(family: str) -> None:
    known = dict(load_strategy(family).defaults)
    for name in EXACT:
        rules = simcore.load_rules(name)
        assert set(shipped_weights(family, rules)) <= set(known)
        made = history(SHIPPED / f"{family}-{name}.toml")
        assert made and all("tune" in one["command"] for one in made)
        assert made[-1]["rules"] == name
    variant = simcore.load_rules("lockout:last_card.highest_single=false")
    assert shipped_weights(family, variant) == shipped_weights(
        family, simcore.load_rules("lockout")
    )


def test_weights_are_part_of_a_run_s_identity(tmp_path: Path) -> None:
    name = weights(tmp_path, "[weights]\nlead_pair = 5")
    assert not line(f"simulate --lineup {name},dump,dump,dump --deals 5 --out {tmp_path}/r").status
    identity = json.loads((tmp_path / "r" / "run.json").read_text("utf-8"))["identity"]
    assert identity["lineup"][0]["params"]["lead_pair"] == 5
    weights(tmp_path, "[weights]\nlead_pair = 6")
    refuse(line(f"simulate --lineup {name},dump,dump,dump --deals 9 --out {tmp_path}/r"), "lineup")
