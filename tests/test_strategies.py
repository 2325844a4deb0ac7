"""Guards the contract with a strategy: what it sees, when it is asked, and what its index may be.

And that the engine's shortcuts for the simplest built-in strategies choose as these do.
"""

import random
import re
from typing import Any

import numpy as np
import pytest

import simcore
from simcore.errors import StrategyError
from simcore.foundation.rng import STRATEGY, below
from simcore.game.kinds import KINDS
from simcore.simulation.replay import replay_setup
from simcore.simulation.setup import Setup, Workspace, make_setup
from simcore.strategies.interface import Strategy, strategy
from simcore.strategies.registry import Entrant, parse_lineup
from tests import reference, reference_playout
from tests.support import (
    RULE_SETS,
    TABLES,
    Played,
    cards,
    kernel_classify,
    mask_of,
    opening_of,
    play_hands,
    playable_house_rules,
    same_rows,
)
from tests.test_rng import words

# The contract with a strategy

FIELDS = (
    *("hand", "to_beat", "to_beat_kind", "to_beat_strength", "to_beat_by"),
    *("left_0", "left_1", "left_2", "left_3", "seen", "passed", "locked"),
    *("starter", "players", "fresh", "required", "turn", "trick", "n_plays"),
)
TURNS_KEPT = 60


def _spy(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """Writes down what it sees in its parameters, and chooses by a rule of its own."""
    at = 1 + int(params[0]) * 19
    if at + 19 <= len(params):
        params[at] = view.hand
        params[at + 1] = view.to_beat
        params[at + 2] = view.to_beat_kind
        params[at + 3] = view.to_beat_strength
        params[at + 4] = view.to_beat_by
        for k in range(4):
            params[at + 5 + k] = view.cards_left[k]
        params[at + 9] = view.seen
        params[at + 10] = view.passed
        params[at + 11] = view.locked
        params[at + 12] = view.starter
        params[at + 13] = view.players
        params[at + 14] = view.fresh
        params[at + 15] = view.required
        params[at + 16] = view.turn
        params[at + 17] = view.trick
        params[at + 18] = n_plays
    params[0] += 1
    return (view.turn * 7 + 3) % n_plays


@pytest.fixture(scope="module")
def spy() -> Entrant:
    compiled = strategy(**{f"p{i}": 0.0 for i in range(1 + TURNS_KEPT * len(FIELDS))})(_spy)
    return Entrant("spy", compiled, tuple(value for _, value in compiled.defaults))


def views(played: Played, slot: int) -> list[dict[str, int]]:
    """What the spy of one slot wrote down, one view for each time it was asked."""
    kept = played.params[slot]
    asked = min(int(kept[0]), TURNS_KEPT)
    width = len(FIELDS)
    rows = kept[1 : 1 + asked * width].reshape(asked, width).astype(np.int64).tolist()
    return [dict(zip(FIELDS, row, strict=True)) for row in rows]


def as_view(position: reference_playout.Position, plays: int) -> dict[str, int]:
    """The reference's position in the words of the view."""
    suits = position.rules.suits
    kind, strength = "pass", 0
    if position.to_beat is not None:
        kind, strength = kernel_classify(position.rules.name, mask_of(suits, position.to_beat))
    left = [*position.cards_left, 0, 0][:4]
    return {
        "hand": mask_of(suits, position.hand),
        "to_beat": mask_of(suits, position.to_beat or ()),
        "to_beat_kind": KINDS.index(kind),
        "to_beat_strength": strength,
        "to_beat_by": position.to_beat_owner or 0,
        **{f"left_{k}": left[k] for k in range(4)},
        "seen": mask_of(suits, position.seen),
        "passed": sum(1 << k for k, passed in enumerate(position.passed) if passed),
        "locked": sum(1 << k for k, locked in enumerate(position.locked) if locked),
        "starter": position.starter,
        "players": len(position.cards_left),
        "fresh": position.fresh,
        "required": mask_of(suits, [position.must_include] if position.must_include else []),
        "turn": position.turn,
        "trick": position.trick,
        "n_plays": plays,
    }


@pytest.mark.parametrize(
    ("name", "players"), [*((name, 4) for name in RULE_SETS), ("lockout", 3), ("hongkong", 2)]
)
def test_a_strategy_sees_what_its_seat_may_know(name: str, players: int, spy: Entrant) -> None:
    """Every field of the view at every turn; a lone option is taken without asking."""
    rules = reference.RULES[name]
    for deal in range(6):
        dealt = simcore.replay(name, "timeout", 31, deal, players=players)
        opening = opening_of(name, dealt.hands) if rules.opening_must_include else None
        ours = play_hands(name, dealt.hands, dealt.starter, opening, [spy] * players)
        wanted: list[list[dict[str, int]]] = [[] for _ in range(players)]

        def choose(position: Any, plays: list[Any], may_pass: bool) -> Any:
            options = [*plays, None] if may_pass else plays
            wanted[position.seat].append(as_view(position, len(options)))  # noqa: B023
            return options[(position.turn * 7 + 3) % len(options)]

        theirs = reference_playout.play_out(
            rules, dealt.hands, dealt.starter, opening, [choose] * players
        )
        assert ours.turns == [(turn.seat, turn.cards, turn.kind) for turn in theirs.turns]
        for slot in range(players):
            assert views(ours, slot) == wanted[slot][:TURNS_KEPT]
            assert all(view["n_plays"] > 1 for view in views(ours, slot))


def test_a_forced_choice_does_not_ask_the_strategy(spy: Entrant) -> None:
    """One card each: every turn has one option but the passes of those who could beat the table."""
    hands = [cards("3c"), cards("2s"), cards("4d"), cards("5d")]
    played = play_hands("maceplay", hands, 0, "3c", [spy] * 4)
    assert played.plays == 1
    assert all(played.params[slot][0] == 0 for slot in range(4))
    hands = [cards("9c 9d"), cards("3s"), cards("4d"), cards("5d")]
    played = play_hands("maceplay", hands, 0, None, [spy] * 4)
    assert [int(played.params[slot][0]) for slot in (1, 2, 3)] == [0, 0, 0]
    assert int(played.params[0][0]) == 1


@strategy(turn=0.0, offset=0.0)
def wayward(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """From a chosen turn on an index that is none: n_plays + offset, or -1 for offset -1."""
    if view.turn < params[0]:
        return n_plays - 1
    return n_plays + int(params[1]) if params[1] >= 0 else -1


def entrant(strategy: Strategy, *params: float) -> Entrant:
    return Entrant(strategy.name, strategy, params)


@strategy
def dice(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """Says the first number that it draws, in the only way it has: as an index that is none."""
    return n_plays + below(rng, 1 << 30)


def test_a_slot_draws_from_its_own_stream_wherever_it_sits() -> None:
    """The first number of every slot, in every seating: the first word of (seed, deal, slot)."""
    for slot in range(4):
        lineup: list[str | Entrant] = ["lowest"] * 4
        lineup[slot] = entrant(dice)
        work = Workspace(make_setup("maceplay", lineup, 77, 4, "fixed"))
        for deal in (0, 3):
            for seating in range(24):
                with pytest.raises(StrategyError, match=f"deal {deal}, seating {seating},") as said:
                    work.play(deal, 1, seating)
                index, n_plays = re.findall(r"index (\d+) of (\d+)", str(said.value))[0]
                assert int(index) - int(n_plays) == words(77, deal, STRATEGY + slot, 1)[0] >> 2


@pytest.mark.parametrize("offset", [0, 5, -1])
def test_an_index_out_of_range_names_strategy_deal_and_turn(offset: int) -> None:
    lineup = ["lowest", entrant(wayward, 20, offset), "lowest", "lowest"]
    setup = make_setup("douque", lineup, 1, 4, "fixed")
    good = make_setup("douque", ["lowest", entrant(wayward, 10_000, 0), "lowest", "lowest"], 1, 4)
    replay = replay_setup(good, 7)
    at = next(i for i, turn in enumerate(replay.turns) if i >= 20 and turn["seat"] == 1)
    with pytest.raises(StrategyError) as caught:
        Workspace(setup).play(7, 50)
    message = str(caught.value)
    assert "'wayward'" in message
    assert "deal 7," in message
    assert "seating 0" in message
    turn = int(message.split("turn ")[1].split(";")[0])
    assert turn >= at
    assert replay.turns[turn]["seat"] == 1
    assert ("index -1 of" in message) == (offset == -1)


def test_the_fault_is_the_first_and_earlier_deals_are_good() -> None:
    """Deals are played in order, and every workspace stops at the same one."""
    setup = make_setup(
        "douque", ["lowest", entrant(wayward, 40, 0), "lowest", "lowest"], 1, 4, "fixed"
    )
    with pytest.raises(StrategyError) as caught:
        Workspace(setup).play(0, 500)
    deal = int(str(caught.value).split("deal ")[1].split(",")[0])
    if deal:
        assert len(Workspace(setup).play(0, deal)) == deal
    with pytest.raises(StrategyError, match=f"deal {deal},"):
        Workspace(setup).play(deal, 1)


# The engine's shortcuts for built-in strategies


def listed_workspace(setup: Setup) -> Workspace:
    """A workspace that asks the strategies themselves, without the shortcuts."""
    work = Workspace(setup)
    work._direct[:] = 0
    return work


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_shortcut_of_a_strategy_is_the_strategy(name: str, players: int) -> None:
    lineups = [
        "random",
        "lowest",
        "dump",
        "linear",
        ["random", "lowest", "dump", "linear"][:players],
    ]
    for lineup in lineups:
        setup = make_setup(name, lineup, 9, players, "fixed")
        assert same_rows(Workspace(setup).play(0, 1_500), listed_workspace(setup).play(0, 1_500))


def test_the_shortcut_of_a_strategy_is_the_strategy_under_random_house_rules() -> None:
    rng = random.Random(13)
    for number in range(40):
        rules = playable_house_rules(rng, number)
        for lineup in ("random", "lowest", "dump", "dump,random,lowest,random"):
            setup = make_setup(rules, lineup, 9, 4, "fixed")
            work, listed = Workspace(setup), listed_workspace(setup)
            assert same_rows(work.play(0, 150), listed.play(0, 150)), (rules, lineup)


@pytest.mark.parametrize("key", ['unbeatable_singles=["Kh"]', 'unbeatable=["single"]'])
def test_the_shortcut_of_random_respects_any_unbeatable_single(key: str) -> None:
    """An unbeatable single that is not the highest card of the deck."""
    setup = make_setup(f"maceplay:kinds.{key}", "random", 9, 4)
    assert same_rows(Workspace(setup).play(0, 500), listed_workspace(setup).play(0, 500))


def test_the_strategies_do_what_their_names_say() -> None:
    """`timeout` never follows; `lowest` leads singles; `dump` leads the most cards it can."""
    hands = [cards("3c 3d 3h 4c 4d"), cards("5c 6c"), cards("7c 8c"), cards("9c Tc")]
    assert play_hands("maceplay", hands, 0, None, "dump").turns[0][2] == "full_house"
    assert play_hands("maceplay", hands, 0, None, "lowest").turns[0][1] == ("3c",)
    assert play_hands("maceplay", hands, 0, None, "highest").turns[0][2] == "full_house"
    timeout = play_hands("maceplay", hands, 0, None, "timeout")
    assert [kind for _, _, kind in timeout.turns if kind != "pass"] == ["single"] * 5


@strategy
def first_play(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """The weakest play."""
    return 0


@strategy
def scribbler(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """The weakest play, after spoiling everything that it was given."""
    for i in range(n_plays):
        plays[i].mask = view.hand
        plays[i].kind = 0
        plays[i].strength = 999
    view.hand = view.to_beat = view.to_beat_kind = view.players = view.required = 0
    return 0


def test_a_strategy_cannot_change_what_it_is_offered() -> None:
    """Its list is a copy: it plays as the one that leaves the list alone."""
    rows = []
    for chosen in (first_play, scribbler):
        lineup = [Entrant("same", chosen, ()), *parse_lineup("random,lowest,highest")]
        rows.append(Workspace(make_setup("lockout", lineup, 4, 4, "all")).play(0, 300))
    assert same_rows(*rows)


@strategy
def allocating(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """The play with the largest mask, by way of arrays of its own."""
    masks = np.zeros(n_plays, np.int64)
    for i in range(n_plays):
        masks[i] = plays[i].mask
    return np.argmax(masks)


def test_a_strategy_may_create_arrays() -> None:
    setup = make_setup("maceplay", [Entrant("own", allocating, ())], 4)
    assert Workspace(setup).play(0, 200).block32[1:].sum() == 0


@strategy(calls=0.0)
def counting(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """Keeps state between calls."""
    params[0] += 1
    return 0


def test_a_strategy_that_keeps_state_in_its_params_ends_the_run() -> None:
    lineup: list[str | Entrant] = ["lowest", entrant(counting, 0.0), "dump", "random"]
    with pytest.raises(StrategyError, match="'counting' wrote to its params in deals 3 to 12"):
        Workspace(make_setup("douque", lineup, 4)).play(3, 10)


@strategy
def dividing(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    """Divides by zero."""
    return n_plays // (view.turn - view.turn)


def test_a_division_by_zero_is_reported() -> None:
    with pytest.raises(StrategyError, match="'dividing' raised ZeroDivisionError"):
        Workspace(make_setup("douque", [entrant(dividing)], 4)).play(0, 1)
