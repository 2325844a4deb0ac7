"""Guards sessions: the winner of a hand, or chance, leads the next, and the session is drawn."""

import math
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import analyses
import simcore
from simcore.errors import InputError
from simcore.game.ruleset import load_rules
from simcore.records import check, playouts
from simcore.runs.reading import blocks, read_run
from simcore.runs.verify import verify
from simcore.samples.hands import dealt_hands
from simcore.simulation.asking import Asking
from simcore.simulation.setup import Workspace, make_setup
from simcore.statistics import t_quantile
from simcore.strategies.position import names
from simcore.strategies.sampling import hidden_cards
from tests.support import reference_rules, z_of_counts
from tests.test_playouts import check_against_reference

WINNER = "maceplay:session.lead=winner:session.hands=4"
LINEUP = "random,lowest,dump,keep"


@pytest.mark.parametrize(
    ("rules", "players"),
    [
        (WINNER, 4),
        ("lockout:session.lead=winner:session.hands=3", 3),
        ("royal:session.lead=random:session.hands=3", 3),
        ("royal:session.hands=2", 4),
    ],
)
def test_sessions_are_the_reference_s_turn_by_turn(rules: str, players: int) -> None:
    """Every hand of two sessions in every seating: who starts, whether a card must be played."""
    setup = make_setup(rules, LINEUP.split(",")[:players], 5, players, "rotations")
    theirs = reference_rules(setup.rules)
    length = setup.session_hands
    rows = Workspace(setup).play(0, 2 * length)
    seatings = rows["seating"].reshape(2, length, players)
    assert (seatings == seatings[:, :1]).all()
    starters, winners = (
        rows[name].reshape(2 * length, players).T for name in ("starter", "winner")
    )
    for s in range(players):
        for deal in range(2 * length):
            found = check_against_reference(setup, theirs, deal, int(seatings[0, 0, s]))
            assert (found.starter, found.winner) == (starters[s, deal], winners[s, deal])
    if theirs.session_lead == "random":  # one seat for all seatings of a deal
        assert (starters == starters[:1]).all()


def test_a_random_starter_is_every_seat_equally_often() -> None:
    setup = make_setup("royal:session.lead=random:session.hands=100", "lowest", 3)
    starters = Workspace(setup).play(0, 3000)["starter"].reshape(-1, 100)
    assert abs(z_of_counts(np.bincount(starters[:, 1:].ravel(), minlength=4), [0.25] * 4)) < 4


def test_any_deal_is_played_from_its_session_s_first_hand() -> None:
    """Whatever range is asked for, and under the seating of its session."""
    setup = make_setup(WINNER, LINEUP, 2**64 - 1, seatings="balanced")
    whole = Workspace(setup).play(2**40, 12)
    for first, number in ((2**40 + 5, 1), (2**40 + 3, 6)):
        part = Workspace(setup).play(first, number)
        low = 4 * (first - 2**40)
        for name in ("seating", "starter", "winner", "payoff"):
            assert (part[name] == whole[name][..., low : low + 4 * number]).all(), name
        assert (part.deals == whole.deals[low : low + 4 * number]).all()


def test_intervals_are_over_sessions(tmp_path: Path) -> None:
    """From the sums and from the rows, as worked out from the payoffs of whole sessions."""
    run = simcore.simulate(WINNER, "dump,lowest,random,keep", 400, seed=1, out=tmp_path / "run")
    assert run.summary.n_deals == 400 and run.summary.n_drawn == 100
    frame = run.playouts()
    of_slot = np.zeros((100, 4))
    for (deal, seating), row in frame.set_index(["deal", "seating"]).iterrows():
        for seat, slot in enumerate(simcore.game.seatings.ORDER[4, seating]):
            of_slot[deal // 4, slot] += row[f"payoff_{seat}"] / 16
    means = analyses.means(run).set_index("strategy")
    for slot, name in enumerate(["dump", "lowest", "random", "keep"]):
        mean, sd = of_slot[:, slot].mean(), of_slot[:, slot].std(ddof=1)
        half = t_quantile(0.95, 99) * sd / math.sqrt(100)
        e = run.summary.estimate("payoff", name)
        assert (e.mean, e.low, e.high) == pytest.approx((mean, mean - half, mean + half))
        assert e.n_deals == means.loc[name, "deals"] == 100
        assert means.loc[name, "payoff_low"] == pytest.approx(mean - half)
    shapes = [block.columns["payoff"].shape for block in blocks(run, ("payoff",))]
    assert sum(shape[0] for shape in shapes) == 100 and {s[1:] for s in shapes} == {(16, 4)}
    found = analyses.find(run, "plays < 100", 7)
    assert found["deal"].tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert analyses.session(run, 100).loc[0, "deals"] == 100
    assert (analyses.variance_shares(run)["deals"] == 100).all()
    assert (analyses.playouts_until_ahead(run)["playouts"] % 4 == 0).all()
    values = analyses.hand_values(run, dealt_hands(run, 30))  # the last two deals are no session
    assert values[values["feature"] == "starts"]["hands"].tolist() == [84, 28]
    with pytest.raises(InputError, match=r"number of playouts is 10, but 4 hands .* 8 or 12"):
        analyses.session(run, 10)


def test_runs_hold_whole_sessions(tmp_path: Path) -> None:
    place = tmp_path / "run"
    with pytest.raises(InputError, match=r"number of deals is 10, but 4 hands .*: give 8 or 12"):
        simcore.simulate(WINNER, LINEUP, 10, out=place)
    with pytest.raises(InputError, match=r"first deal is 2, .*: give 4$"):
        simcore.simulate(WINNER, LINEUP, 8, first_deal=2)
    simcore.simulate(WINNER, LINEUP, 12, out=place)
    more = simcore.simulate(WINNER, LINEUP, 24, out=place)
    whole = simcore.simulate(WINNER, LINEUP, 24)
    assert more.summary == whole.summary and more.playouts().equals(whole.playouts())
    assert verify(place, 24).deals_compared == 24
    for part in read_run(place).parts:
        assert part.first % 4 == part.end % 4 == 0
    # Another length is another run.
    with pytest.raises(simcore.RunError, match=r"session_hands: 4 → 3"):
        simcore.simulate(WINNER.replace("=4", "=3"), LINEUP, 24, out=place)


def test_a_later_hand_is_asked_about_as_it_was_played() -> None:
    """`decide` in every position of a later hand; what draws cards does not look for the opener."""
    work = Asking(make_setup(WINNER, "keep", 5))
    turns = work.turns(6, 0)
    cards = np.empty(52, np.int64)
    kept = [turn for turn in turns if len(work.show(turn.hands, turn.state)) > 1]
    for turn in kept[:8]:
        plays = work.show(turn.hands, turn.state)
        view = work.view
        assert view.first_hand == 0 and view.required == 0
        assert hidden_cards(view.rules, view, cards)[1] == 0
        assert len(plays) > 1 and "--later-hand" in work.question_command()
        found = simcore.decide(
            WINNER, "keep", int(view.hand), int(view.to_beat) or None,
            to_beat_by=int(view.to_beat_by) or None, cards_left=view.cards_left.tolist(),
            seen=int(view.seen) or None, starter=int(view.starter), fresh=bool(view.fresh),
            passed=[k for k in range(4) if view.passed >> k & 1], first_hand=False,
        )  # fmt: skip
        assert found.play.cards == names(turn.play, "cdhs")
    with pytest.raises(InputError, match=r"opened like a first one"):
        simcore.decide("maceplay", "keep", "3c 4d", first_hand=False)
    with pytest.raises(InputError, match=r"first hand of a session only"):
        simcore.decide(WINNER, "keep", "3c 4d", required="3c", first_hand=False)


def test_records_of_sessions_are_right_and_say_which_hand_is_no_first() -> None:
    records = list(playouts(simcore.simulate(WINNER, LINEUP, 8, seatings="fixed")))
    assert [record.first_hand for record in records] == [True, False, False, False] * 2
    lines = [record.as_line() for record in records]
    assert len(check(BytesIO("\n".join(lines).encode())).faults) == 0
    wrong = [line.replace(', "first_hand": false', "") for line in lines]
    found = check(BytesIO("\n".join(wrong).encode())).faults
    assert set(found["fault"]) <= {"wrong_starter", "opening_card"} and len(found) > 3
    assert not set(found["record"]) & {1, 5}
    with pytest.raises(InputError, match=r"line 1: field 'first_hand' is false, but in rule set"):
        check(BytesIO(lines[1].encode()), "maceplay")


def test_what_contradicts_is_refused() -> None:
    with pytest.raises(InputError, match=r"'session\.hands': is 1, but session\.lead"):
        load_rules("douque:session.lead=winner")
    with pytest.raises(InputError, match=r"0 is outside 1 to 1000"):
        load_rules("douque:session.hands=0")
    with pytest.raises(InputError, match=r"sessions of 1000 hands: .* at most"):
        make_setup("douque:session.hands=1000", "dump", seatings="all")
