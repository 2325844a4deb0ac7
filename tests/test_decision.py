"""Guards `simcore.decide`: it chooses as the engine does, and refuses what cannot be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simcore
from simcore.errors import InputError, StrategyError
from simcore.strategies.registry import BUILT_IN
from tests import reference, reference_playout
from tests.command import SPY, Result, data, line, refuse, script, spied
from tests.support import RULE_SETS, opening_of

PLAIN = """
class careful:
    def choose(self, position):
        if position.rng.uniform() < 0.3:
            return position.rng.choice(position.plays)
        return position.plays[-1]
"""
TABLES = [*((name, 4) for name in RULE_SETS), ("lockout", 3), ("royal", 3), ("hongkong", 2)]


@pytest.fixture(scope="module")
def careful(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A strategy in plain Python that draws random numbers."""
    path = tmp_path_factory.mktemp("plain") / "careful.py"
    path.write_text(PLAIN + SPY, "utf-8")
    return f"{path}:careful"


def asked_at_every_turn(
    name: str, players: int, strategy: str, deal: int, exact: bool = True
) -> list[simcore.Decision]:
    """Decisions at every turn with a choice of an engine's playout; they must be the engine's.

    The position is the reference's. exact: every fact of it is given, else only what a caller
    cannot leave out.
    """
    played = simcore.replay(name, strategy, 8, deal, players=players)
    rules = reference.RULES[name]
    opening = opening_of(name, played.hands) if rules.opening_must_include else None
    drawn = [0] * players
    found = []

    def choose(position: reference_playout.Position, plays: Any, may_pass: bool) -> Any:
        facts: dict[str, Any] = {
            "to_beat_by": position.to_beat_owner,
            "cards_left": position.cards_left,
            "seen": list(position.seen),
        }
        if exact:
            facts |= {
                "passed": [k for k, passed in enumerate(position.passed) if passed],
                "locked": [k for k, locked in enumerate(position.locked) if locked],
                "starter": position.starter,
                "fresh": position.fresh,
                "required": [position.must_include] if position.must_include else None,
                "turn": position.turn,
                "trick": position.trick,
            }
        seat = position.seat
        decision = simcore.decide(
            name, strategy, position.hand, position.to_beat,
            seed=8, deal=deal, slot=seat, drawn=drawn[seat], **facts,
        )  # fmt: skip
        drawn[seat] = decision.drawn
        turn = played.turns[position.turn]
        assert (list(decision.play.cards), decision.play.kind) == (turn["cards"], turn["kind"])
        assert len(decision.plays) == len(plays) + may_pass
        found.append(decision)
        return (decision.play.cards, decision.play.kind) if decision.play else None

    again = reference_playout.play_out(
        rules, played.hands, played.starter, opening, [choose] * players
    )
    assert len(again.turns) == len(played.turns) and found
    return found


@pytest.mark.parametrize(("name", "players"), TABLES)
@pytest.mark.parametrize("strategy", [*BUILT_IN, "noisy:base=keep:epsilon=0.4", "plain"])
def test_decide_chooses_as_the_engine_does(
    name: str, players: int, strategy: str, careful: str
) -> None:
    asked_at_every_turn(name, players, careful if strategy == "plain" else strategy, 1)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_strategy_sees_what_the_engine_would_show_it(
    name: str, players: int, careful: str
) -> None:
    """Every field of a position, also those that no strategy that ships looks at."""
    spy = careful.replace(":careful", ":spy")
    for deal in range(2):
        number = len(asked_at_every_turn(name, players, spy, deal))
        seen = spied(spy)
        assert len(seen) == 2 * number > 20
        for theirs, ours in zip(seen[:number], seen[number:], strict=True):
            assert theirs == ours


@pytest.mark.parametrize("name", ["maceplay", "lockout", "royal"])
def test_the_defaults_are_what_the_engine_knows(name: str) -> None:
    """Of strategies that look at more than their hand and the table."""
    for strategy in ("keep", "minplays"):
        asked_at_every_turn(name, 4, strategy, 2, exact=False)


def test_the_defaults_of_everything() -> None:
    spy = simcore.decide("lockout", "dump", "9c Tc Jc", "7d 7h", players=3)
    assert str(spy) == "pass" and [str(play) for play in spy.plays] == ["pass"]
    found = simcore.decide("maceplay", "lowest", FULL)
    assert (found.play.cards, found.play.kind) == (("3c",), "single")
    assert all("3c" in play.cards for play in found.plays), "the first play of the deal"
    late = simcore.decide("douque", "lowest", "4d 5h", "3c")
    assert str(late) == "4d" and late.plays[-1].kind == "pass"


def test_random_choices_differ_from_turn_to_turn() -> None:
    """By default every turn, deal and slot has a place of its own in the streams."""
    hand = "3c 4d 5h 6s 7c 8c 9d Td Js Qh"

    def asked(**facts: int) -> str:
        return str(simcore.decide("maceplay", "random", hand, "3d", fresh=False, **facts))

    for name in ("turn", "deal", "slot", "seed"):
        values = range(4)
        assert len({asked(**{name: value}) for value in values}) > 1, name
        assert [asked(**{name: v}) for v in values] == [asked(**{name: v}) for v in values]


HAND = "3d 4d 5h 9s Tc"
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no cards": ({"hand": ""}, "hand is empty"),
    "card twice": ({"hand": "3c 3c"}, "3c stands twice"),
    "unknown card": ({"hand": "3x"}, "unknown card"),
    "in hand and on the table": ({"to_beat": "3d"}, "3d is in hand and on the table"),
    "in hand and seen": ({"seen": "4d 2c"}, "4d is in hand and among the cards seen"),
    "no combination": ({"to_beat": "6c 7d"}, "no legal combination"),
    "nothing to beat": ({"to_beat_by": 2}, "none to beat"),
    "made by oneself": ({"to_beat": "6c", "to_beat_by": 0}, "1 (the next in turn) to 3"),
    "made by nobody": ({"to_beat": "6c", "to_beat_by": 4}, "1 (the next in turn) to 3"),
    "five at the table": ({"cards_left": [5] * 5}, "5 players"),
    "too few numbers": ({"cards_left": [5] * 3, "players": 4}, "3 numbers for 4 players"),
    "own number": ({"cards_left": [4, 5, 5, 5]}, "cards_left[0] is 4"),
    "somebody has won": ({"cards_left": [5, 0, 5, 5]}, "seat 1 has 0 cards"),
    "more than dealt": ({"cards_left": [5, 5, 14, 5]}, "seat 2 has 14 cards left"),
    "does not add up": ({"cards_left": [5, 5, 5, 5], "seen": "3c 3h"}, "leave 45"),
    "more than seen": ({"seen": "3c 3h"}, "15 cards left"),
    "too many cards": ({"hand": "3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s 6c 6d"}, "at most 13"),
    "passed while leading": ({"passed": [1]}, "begins a new trick"),
    "locked while leading": ({"locked": [1]}, "begins a new trick"),
    "passed before": ({"to_beat": "6c", "passed": [2]}, "seat 2 cannot have passed"),
    "not passed": ({"to_beat": "6c", "to_beat_by": 1, "passed": [3]}, "seat 2 sits between"),
    "seat out of bounds": ({"to_beat": "6c", "passed": [5]}, "seat 5 is out of bounds"),
    "locked maker": ({"to_beat": "6c", "locked": [3]}, "not locked out"),
    "no locks": ({"to_beat": "6c", "locked": [1]}, "a pass locks nobody out"),
    "starter": ({"starter": 4}, "starter 4"),
    "fresh": ({"fresh": True}, "a fresh hand of 5 cards"),
    "required": ({"required": "3d"}, "only the first play"),
    "turn": ({"turn": -1}, "turn -1"),
    "trick": ({"trick": 999}, "trick 999"),
    "deal": ({"deal": -1}, "deal -1"),
    "slot": ({"slot": 4}, "slot 4"),
    "drawn": ({"drawn": -1}, "drawn -1"),
    "seed": ({"seed": -1}, "seed -1"),
    "strategy": ({"strategy": "nobody"}, "unknown strategy 'nobody'"),
    "rules": ({"rules": "nowhere"}, "unknown rule set"),
}
FULL = "3c 4d 5h 6s 7c 8c 9d Td Js Qh Kc Kd 2s"
BAD_FIRST_PLAYS: dict[str, tuple[dict[str, Any], str]] = {
    "no opening card": ({"hand": FULL.replace("3c", "3s")}, "does not hold the opening card"),
    "not the starter": ({"starter": 2}, "whoever leads from a fresh hand starts"),
    "played before": ({"seen": "4c"}, "before the first play"),
    "not in hand": ({"required": "2c"}, "not one card of the hand"),
    "not the opening card": ({"required": "4d"}, "not the opening card 3c"),
}


@pytest.mark.parametrize(("facts", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_is_refused(facts: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        simcore.decide(**({"rules": "maceplay", "strategy": "keep", "hand": HAND} | facts))
    assert words in str(refused.value)


@pytest.mark.parametrize(("facts", "words"), BAD_FIRST_PLAYS.values(), ids=BAD_FIRST_PLAYS)
def test_a_first_play_that_cannot_be_is_refused(facts: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        simcore.decide(**({"rules": "maceplay", "strategy": "keep", "hand": FULL} | facts))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def bot(position):\n    raise KeyError('lost')\n", "raised KeyError"),
        ("def bot(position):\n    return 3\n", "returned 3"),
        ("class bot:\n    def __init__(self):\n        open('/no/model')\n"
         "    def choose(self, position):\n        pass\n", "raised FileNotFoundError"),
    ],
)  # fmt: skip
def test_a_bad_strategy_is_named(source: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(source, "utf-8")
    with pytest.raises(StrategyError, match=words) as refused:
        simcore.decide("maceplay", f"{tmp_path}/bot.py:bot", HAND, turn=7)
    assert "bot" in str(refused.value)


def test_a_strategy_in_somebody_else_s_engine() -> None:
    """A whole deal, with nothing but the public interface and the reference's table."""
    name = "lockout"
    dealt = simcore.replay(name, "timeout", 5, 0)
    rules = reference.RULES[name]

    def player(strategy: str) -> Callable[..., Any]:
        def choose(position: reference_playout.Position, plays: Any, may_pass: bool) -> Any:
            play = simcore.decide(
                name, strategy, position.hand, position.to_beat, seen=list(position.seen),
                to_beat_by=position.to_beat_owner, cards_left=position.cards_left,
                locked=[k for k, locked in enumerate(position.locked) if locked],
            ).play  # fmt: skip
            return (play.cards, play.kind) if play else None

        return choose

    players = [player(s) for s in ("minplays", "random", "keep", "dump")]
    opening = opening_of(name, dealt.hands) if rules.opening_must_include else None
    end = reference_playout.play_out(rules, dealt.hands, dealt.starter, opening, players)
    assert end.turns[-1].kind != "pass"


def test_the_command() -> None:
    asked = "decide --rules maceplay --strategy keep --hand '3d 4d 5h 9s Tc' --table 6c"
    found = data(asked)
    decision = simcore.decide("maceplay", "keep", HAND, "6c")
    assert found["play"] == {"cards": ["9s"], "kind": "single"}
    assert [tuple(play["cards"]) for play in found["plays"]] == [p.cards for p in decision.plays]
    assert found["drawn"] == decision.drawn
    assert line(asked).out.split() == ["9♠", "single"]
    assert line(asked.replace("6c", "2c")).out == "pass\n"
    exact = (
        f"{asked} --by 2 --cards-left 5,4,3,2 --passed 3 --starter 1 --turn 30 --trick 9 "
        "--seed 4 --deal 7 --slot 2 --drawn 0 --no-fresh"
    )
    assert data(exact)["play"] == found["play"]
    locked = data(f"{exact} --locked 3".replace("maceplay", "lockout"))
    assert locked["play"] == found["play"]
    first = data(f"decide --rules maceplay --strategy lowest --hand '{FULL}' --required 3c")
    assert first["play"]["cards"] == ["3c"]
    refuse(line(f"{asked} --seen 3d"), "3d", "take it out")
    refuse(line(f"{asked} --cards-left 5,x,3,2"), "'5,x,3,2'", "5,13,13,13")
    refuse(line(f"{asked} --passed 9"), "seat 9", "1 (the next in turn) to 3")


def test_a_strategy_that_never_returns_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def bot(position):\n    while True:\n        pass\n", "utf-8")
    asked = ("--hand", "7d 8d", "--table", "6c", "--turn", 7, "--decision-limit", "0.5s")
    done = script("decide", "--strategy", f"{tmp_path}/bot.py:bot", *asked)
    found = Result(done.returncode, done.stdout, done.stderr)
    refuse(found, "bot.py:bot' gave no answer for 0.5 seconds", "turn 7")


def play_with(name: str, players: int, deal: int) -> list[int]:
    """README's loop: a whole deal with a table of one's own, nothing given but what it knows."""
    dealt = simcore.replay(name, "timeout", seed=1, deal=deal, players=players)
    hands, turn = [set(hand) for hand in dealt.hands], dealt.starter
    table: Any = None
    maker, seen = turn, []  # type: ignore[var-annotated]
    while all(hands):
        if maker == turn:
            table = None
        decision = simcore.decide(
            name, ["keep", "dump", "minplays", "lowest"][turn], hands[turn], table,
            to_beat_by=(maker - turn) % players, seen=seen,
            cards_left=[len(hands[(turn + k) % players]) for k in range(players)],
        )  # fmt: skip
        if decision.play:
            table, maker = decision.play.cards, turn
            hands[turn] -= set(table)
            seen += table
        turn = (turn + 1) % players
    return [len(hand) for hand in hands]


@pytest.mark.parametrize(
    ("name", "players"), [(name, n) for name in RULE_SETS for n in simcore.load_rules(name).players]
)
def test_the_loop_of_the_readme_works_at_every_table(name: str, players: int) -> None:
    for deal in range(2):
        assert play_with(name, players, deal).count(0) == 1


def test_a_starter_who_has_played_is_not_fresh_though_its_hand_has_the_size() -> None:
    """Three players of lockout: the starter was dealt 18 cards and has played the 3 of clubs."""
    hand = "4c 4d 5h 5s 6c 7d 8h 9s Tc Jd Jh Qs Kc Kd Ah As 2s"
    led = simcore.decide("lockout", "keep", hand, seen="3c", cards_left=[17, 17, 17])
    assert led.play.kind == "straight"
    with pytest.raises(InputError, match="was played before the first play"):
        simcore.decide("lockout", "keep", hand, seen="3c", cards_left=[17, 17, 17], fresh=True)


def test_cards_are_taken_as_numbers_and_masks_too() -> None:
    hand = simcore.decide("maceplay", "keep", "3d 4d 5h 9s Tc", "6c")
    numbers = [1, 5, 10, 27, 28]  # rank * 4 + suit, clubs lowest
    mask = sum(1 << card for card in numbers)
    for given, table in ((numbers, [12]), (mask, 1 << 12), (np.array(numbers), np.int64(1 << 12))):
        assert simcore.decide("maceplay", "keep", given, table).play == hand.play
    assert simcore.classify("maceplay", [0, 1]).kind == "pair"  # type: ignore[union-attr]
    for wrong, words in (
        ([1, 52], "card number 52 is out of bounds: 0 to 51"),
        ([1, 1], "card 3d stands twice"),
        (1 << 52, "out of bounds"),
        (-1, "out of bounds"),
        (["3d", 5], "mixes or is no cards"),
        (3.5, "are no cards: give"),
        ([3.5], "no cards: give names or numbers"),
    ):
        with pytest.raises(InputError, match=words):
            simcore.decide("maceplay", "keep", wrong)


@pytest.mark.parametrize("strategy", ["linear", "net", "noisy:base=keep:epsilon=0.4"])
def test_a_player_decides_as_the_function_does(strategy: str) -> None:
    """Again and again, at one table, whatever it was asked before."""
    player = simcore.Player("maceplay", strategy, 4, seed=3)
    asked = [
        {"hand": "3c 4d 5h 9s Kd 2s", "to_beat": "8d", "cards_left": [6, 4, 8, 5]},
        {"hand": "3c 4d 5h 9s Kd 2s", "cards_left": [6, 4, 8, 5], "deal": 7, "slot": 2},
        {"hand": "9s Kd", "to_beat": "5c 5d", "to_beat_by": 2, "cards_left": [2, 4, 8, 5]},
    ]
    for position in asked * 2:
        found = player.decide(**position)
        assert found == simcore.decide("maceplay", strategy, seed=3, **position)
    with pytest.raises(InputError, match="cards_left has 3 numbers for 4 players"):
        player.decide("9s Kd", cards_left=[2, 4, 8])
