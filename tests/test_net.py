"""Guards `net`: its inputs, its whole numbers, files of weights, and `bigtwo train`."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

import analyses
import simcore
from simcore.errors import InputError, RunError
from simcore.foundation.jit import kernel
from simcore.game.kinds import KINDS
from simcore.game.ruleset import load_rules
from simcore.runs.run import identity, setup_of
from simcore.simulation.setup import make_setup
from simcore.strategies.net import MOST_INPUTS, network_at, output_of, value_plays
from simcore.strategies.net_inputs import card_inputs, play_inputs, shared_inputs
from simcore.strategies.networks import (
    ACTIVE,
    AT,
    HIDDEN,
    INPUTS,
    N_INPUTS,
    NETWORK,
    SCALES,
    WIDTH,
    Network,
    network,
    network_for,
    read_network,
    write_network,
)
from simcore.workshop.training import SIZE, Budget, Trainer, quantised
from tests.command import data, line, refuse
from tests.support import EXACT
from tests.test_features import position, ranks

STARTS = dict(zip(INPUTS, AT, strict=True))
SMALL = {"round_playouts": 400, "first_playouts": 600, "verdict_deals": 40}


def drawn(seed: int, rules: str = "maceplay") -> Network:
    """Weights that nobody trained."""
    rng = np.random.default_rng(seed)
    fields = {
        "first": rng.integers(-300, 300, (N_INPUTS, WIDTH)),
        "second": rng.integers(-60, 60, (HIDDEN, WIDTH)),
        "second_bias": rng.integers(-9000, 9000, HIDDEN),
        "third": rng.integers(-900, 900, HIDDEN),
        "third_bias": 123,
        "unit": 10.0,
    }
    return network(fields, {"rules": rules})


@kernel
def inputs_of(view, play, found):  # type: ignore[no-untyped-def]
    n, about = shared_inputs(view, found, 0)
    n = card_inputs(view.hand & ~play.mask, about, found, n)
    return play_inputs(
        view, play.mask, np.int64(play.kind), np.int64(play.strength), about, found, n
    )


@kernel
def values_of(view, plays, n, address, inputs, base, sums, active, values):  # type: ignore[no-untyped-def]
    value_plays(network_at(address), view, plays, n, inputs, base, sums, active, values)


def set_inputs(view, play) -> list[int]:  # type: ignore[no-untyped-def]
    found = np.zeros(MOST_INPUTS + 104, np.int64)
    return [int(i) for i in found[: inputs_of(view, play, found)]]


def by_name(places: list[int]) -> dict[str, list[int]]:
    """Inputs that are set, by name: their numbers within it."""
    found: dict[str, list[int]] = {}
    for place in places:
        name = max((n for n in STARTS if STARTS[n] <= place), key=STARTS.__getitem__)
        found.setdefault(name, []).append(place - STARTS[name])
    return found


@pytest.mark.parametrize("name", EXACT)
def test_inputs_are_what_they_say(name: str) -> None:
    """Those that are plain to state, against their words; every one within its own range."""
    rng = random.Random(name)
    for _ in range(150):
        view, plays = position(rng, name)
        at = view[0]
        hand, seen = int(at.hand), int(at.seen)
        unseen = [c for c in range(52) if not (hand | seen) >> c & 1]
        for play in plays:
            rest = [c for c in range(52) if (hand & ~int(play.mask)) >> c & 1]
            if not rest:
                continue
            places = set_inputs(at, play)
            found = by_name(places)
            for key, numbers in found.items():
                assert all(0 <= k < INPUTS[key] for k in numbers), key
            assert found["unseen"] == unseen and found["card"] == rest
            assert found["above"] == [min(sum(u > c for u in unseen), 39) for c in rest]
            assert found["count"] == [len(rest)]
            held = ranks(sum(1 << c for c in rest))
            for key, n in (("pair", 2), ("triple", 3), ("four", 4)):
                assert found.get(key, []) == sorted(r for r in set(held) if held.count(r) >= n)
            boss = sum(all(u < c for u in unseen) for c in rest)
            assert found["boss"] == [min(boss, 13)]
            opponents = [int(n) for n in at.cards_left[1:]]
            assert found["cards"] == [19 * k + n for k, n in enumerate(opponents)]
            assert found["least"] == [min(opponents)]
            if play.mask:
                assert found["made"][0] // 13 == play.kind and "left" not in found
                if play.kind == KINDS.index("single"):
                    card = int(play.mask).bit_length() - 1
                    assert found["made"][0] % 13 == card // 4
                    assert found["made_above"] == [min(sum(u > card for u in unseen), 39)]
            else:
                assert found["left_by"][0] // len(KINDS) == at.to_beat_by - 1
                assert ("yields" in found) == (at.to_beat_by == 1)  # nobody is locked out here


def by_hand(weights: Network, places: list[int]) -> int:
    """What comes out, in Python's whole numbers."""
    record = weights.data[0]
    sums = record["first"][places].astype(object).sum(axis=0)
    top = ACTIVE * SCALES[0]
    active = [min(max(int(x), 0), top) for x in sums]
    total = int(record["third_bias"])
    for h in range(HIDDEN):
        found = sum(a * int(w) for a, w in zip(active, record["second"][h], strict=True))
        hidden = (found + int(record["second_bias"][h])) >> (SCALES[1].bit_length() - 1)
        total += min(max(hidden, 0), top) * int(record["third"][h])
    return total


def test_values_are_those_of_the_whole_sums() -> None:
    """What is added and taken away for each play comes to the same as adding it up from nothing."""
    rng, weights = random.Random(4), drawn(4)
    scratch = [np.zeros(n, t) for n, t in ((MOST_INPUTS, np.int64), *[(WIDTH, np.int16)] * 3)]
    for _ in range(60):
        view, plays = position(rng, "douque")
        plays = plays[[int(play.mask) != int(view[0].hand) for play in plays]]
        values = np.zeros(len(plays), np.int64)
        address = weights.data.ctypes.data
        values_of(view[0], plays, len(plays), address, *scratch, values)
        assert list(values) == [by_hand(weights, set_inputs(view[0], play)) for play in plays]


def test_the_output_is_cut_where_it_is_said() -> None:
    """Sums below 0 count nothing, sums above the bound no more than it."""
    weights = drawn(5)
    low, high, bound = (np.full(WIDTH, x, np.int16) for x in (-9000, 32767, ACTIVE * SCALES[0]))
    active = np.zeros(WIDTH, np.int16)
    record = weights.data.view(np.recarray)[0]
    assert output_of(record, high, active) == output_of(record, bound, active)
    assert output_of(record, low, active) == output_of(record, np.zeros(WIDTH, np.int16), active)


def test_whole_numbers_say_what_the_floats_say() -> None:
    rng = np.random.default_rng(1)
    floats = rng.normal(0, 0.1, SIZE).astype(np.float32)
    whole = quantised(floats, 12.5, {"rules": "royal"})
    assert whole.rules == "royal" and whole.data[0]["unit"] == 12.5
    first = floats[: N_INPUTS * WIDTH].reshape(N_INPUTS, WIDTH)
    assert np.abs(whole.data[0]["first"] / SCALES[0] - first).max() <= 0.51 / SCALES[0]


def test_a_file_of_weights_comes_back_the_same(tmp_path: Path) -> None:
    weights = drawn(7, "lockout")
    file = tmp_path / "mine.npz"
    write_network(weights, file)
    again = read_network(file)
    assert again == weights and again.hash == weights.hash and again.rules == "lockout"
    assert drawn(8) != weights


def broken(tmp_path: Path) -> dict[str, bytes]:
    good = tmp_path / "good.npz"
    write_network(drawn(1), good)
    fields = {name: np.asarray(drawn(1).data[0][name]) for name in NETWORK.names or ()}
    found = {"cut": good.read_bytes()[:3000], "empty": b"", "text": b"no archive"}
    other = dict(fields, first=fields["first"].astype(np.int32))
    lacking = {k: v for k, v in fields.items() if k != "third"}
    code = dict(fields, about=np.array([{"a": 1}], dtype=object))
    large = dict(fields, second=np.zeros((HIDDEN, WIDTH * 40), np.int16))
    endless = dict(fields, unit=np.array(np.inf))
    about = np.array(json.dumps({"format": 1, "rules": "royal"}))
    for name, arrays in (
        ("kind", other), ("lacking", lacking), ("code", code), ("large", large), ("unit", endless),
    ):  # fmt: skip
        file = tmp_path / f"{name}.npz"
        np.savez(file, **{"about": about, **arrays})
        found[name] = file.read_bytes()
    return found


def test_what_is_no_file_of_weights_is_refused(tmp_path: Path) -> None:
    for name, content in broken(tmp_path).items():
        file = tmp_path / f"bad-{name}.npz"
        file.write_bytes(content)
        with pytest.raises(InputError, match="is none"):
            read_network(file)
        refuse(line(f"simulate --lineup net:weights={file} --deals 5"), "is none")
    refuse(line("simulate --lineup net:weights=nowhere.npz --deals 5"), "does not exist")


def test_a_run_knows_its_network_by_its_weights(tmp_path: Path) -> None:
    """Another network is another run; the file that is named plays it again."""
    file = tmp_path / "w.npz"
    write_network(drawn(1), file)
    setup = make_setup("maceplay", f"net:weights={file},dump", 3)
    who = identity(setup)
    assert who["lineup"][0]["network"] == drawn(1).hash
    assert identity(setup_of(who)) == who
    write_network(drawn(2), file)
    assert identity(make_setup("maceplay", f"net:weights={file},dump", 3)) != who
    with pytest.raises(RunError, match="which is not here"):
        setup_of(who)


@pytest.mark.parametrize("rules", EXACT)
def test_weights_ship_for_every_exact_rule_set(rules: str) -> None:
    """And they beat what is cheap, at a table of their own size."""
    assert network_for(load_rules(rules)).rules == rules
    assert payoffs(rules, "net,control", 400)["net"] > 0.3


def payoffs(rules: str, lineup: str, deals: int, seed: int = 2) -> dict[str, float]:
    """Mean payoff of each strategy."""
    played = simcore.simulate(rules, lineup, deals, seed=seed, summary_only=True)
    frame = analyses.strategy_table(played.summary)
    return dict(zip(frame["strategy"], frame["payoff"], strict=True))


def test_a_relative_is_named(tmp_path: Path) -> None:
    """A house rule gets the weights of what it extends, whatever it changes, and says so."""
    house = tmp_path / "club.toml"
    text = 'extends = "royal"\ndeal = 13\npassing.locks_on = [1, 2, 3, 5]\n'
    house.write_text(text, "utf-8")
    setup = make_setup(str(house), "net,linear,control,net")
    assert setup.lineup[0].network == network_for(load_rules("royal"))
    (note,) = setup.notes
    assert note.startswith("net and linear and control: weights of royal, the nearest relative")
    assert make_setup("royal", "net,linear,control,net").notes == []
    result = line(f"simulate --rules {house} --lineup net --deals 4")
    assert "net: weights of royal, the nearest relative of club" in result.err


# --------------------------------------------------------------------------- training


def small(out: Path, playouts: int, **changes: object) -> Trainer:
    options: dict[str, object] = {"rules": "lockout", "seed": 3, "players": [3], "threads": 2}
    return Trainer(out=out, budget=Budget(playouts), **{**options, **SMALL, **changes})  # type: ignore[arg-type]


def test_a_stopped_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    whole = small(tmp_path / "whole.npz", 1400).run()
    half = small(tmp_path / "half.npz", 1400)

    def stop(now: Trainer, share: float) -> None:
        half.stop = True

    assert not half.run(stop).complete
    again = small(tmp_path / "half.npz", 1400, threads=1).run()
    assert again.complete and again.network == whole.network and again.playouts == whole.playouts
    assert [v.gain for v in again.verdict] == [v.gain for v in whole.verdict]
    assert read_network(tmp_path / "half.npz") == whole.network
    assert whole.network.made[0]["playouts"] == whole.playouts
    curve = analyses.training(tmp_path / "whole.npz")
    assert list(curve["playouts"]) == [j.playouts for j in whole.curve] and len(curve) >= 1
    assert (curve["gain_low"] < curve["gain"]).all()


def test_a_training_stopped_at_once_writes_nothing(tmp_path: Path) -> None:
    trainer = small(tmp_path / "w.npz", 600)
    trainer.stop = True
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert not list(tmp_path.iterdir())


def test_training_teaches(tmp_path: Path) -> None:
    """A few seconds are enough to beat `dump`, whom it has never seen."""
    small(tmp_path / "w.npz", 12_000, rules="maceplay", players=None, first_playouts=12_000).run()
    lineup = f"net:weights={tmp_path / 'w.npz'},dump"
    assert payoffs("maceplay", lineup, 400)["dump"] < -0.5


def test_train_as_a_command(tmp_path: Path) -> None:
    out, plot = tmp_path / "w.npz", tmp_path / "curve.svg"
    command = f"train --rules maceplay --playouts 2k -o {out} --verdict-deals 20 --plot {plot}"
    found = data(command)
    assert found["network"] == read_network(out).hash and found["complete"]
    assert {v["against"] for v in found["verdict"]} == {"control", "linear"}
    assert "<svg" in plot.read_text("utf-8")


def test_a_house_rule_is_trained_for(tmp_path: Path) -> None:
    """Sessions, two to four players, rules that no shipped set has; its weights are its own."""
    house, out = tmp_path / "club.toml", tmp_path / "club.npz"
    text = 'extends = "hongkong@2"\nflush.first = "top_card"\n'
    house.write_text(text + 'session.lead = "winner"\nsession.hands = 24\n', "utf-8")
    found = small(out, 1300, rules=str(house), players=None).run()
    assert found.network.rules == "club" and {v.players for v in found.verdict} == {2, 3, 4}
    setup = make_setup(str(house), f"net:weights={out}")
    assert setup.notes == [] and setup.lineup[0].network == found.network
    assert simcore.simulate(str(house), f"net:weights={out},dump", 48, seed=1).complete


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("train --rules douque --players 3 -o w.npz", "3 players"),
        ("train -o w.toml", "into a file .npz"),
        ("train -o nowhere/w.npz", "does not exist"),
        ("train --budget soon -o w.npz", "write a number and s, m, h or d"),
        ("train --playouts many -o w.npz", "is no whole number"),
        ("train --threads 0 -o w.npz", "0 threads are out of bounds"),
        ("train --plot w.pdf -o w.npz", "into .svg, .png or .html"),
        ("simulate --lineup net:weights=w.toml --deals 5", "`bigtwo train` makes one"),
        ("simulate --lineup linear:weights=w.npz --deals 5", "cannot be read"),
    ],
)
def test_what_train_refuses(command: str, words: str) -> None:
    refuse(line(command), words)


def test_another_training_is_not_gone_on_with(tmp_path: Path) -> None:
    small(tmp_path / "w.npz", 600).run()
    with pytest.raises(RunError, match="seed differ"):
        small(tmp_path / "w.npz", 600, seed=4).run()
    (tmp_path / "w.npz.checkpoint").write_bytes(b"nothing")
    with pytest.raises(RunError, match="no checkpoint"):
        small(tmp_path / "w.npz", 600).run()
