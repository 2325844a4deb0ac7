"""Guards how objects show in a notebook."""

from html.parser import HTMLParser

import pytest

from analyses import strategy_table
from simcore import load_rules, replay, simulate
from simcore.game.ruleset import rule_set_names
from simcore.html import Markup, table
from simcore.strategies.registry import Entrant, load_strategy


class Reader(HTMLParser):
    """Text of cells; every tag that is opened must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attributes: object) -> None:
        assert tag != "thead" or self.open[-1] == "table"
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def words(shown: object) -> list[str]:
    return Reader(shown._repr_html_()).words  # type: ignore[attr-defined]


def test_text_is_escaped() -> None:
    assert "&lt;b&gt;" in table([("<b>", 1)]) and "<b>" not in table([("<b>", 1)])
    assert "<b>x</b>" in table([("a", Markup("<b>x</b>"))])


@pytest.mark.parametrize("name", rule_set_names())
def test_rules(name: str) -> None:
    rules = load_rules(name)
    found = words(rules)
    assert rules.title in found and "opening.card" in found and "(" not in "".join(found[2:])


def test_a_run_and_its_summary() -> None:
    run = simulate("douque", "random,lowest,dump,highest", 200, 3, stake=2)
    found = words(run)
    assert found[0] == (
        "douque: random, lowest, dump, highest; seed 3, balanced seatings, in memory"
    )
    assert "200 deals, 800 playouts" in found[1]
    for row in strategy_table(run.summary).to_dict("records"):
        for name in ("win_rate", "payoff"):
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            assert f"{row[name]:.4g} ({low:.4g} to {high:.4g})" in found
    assert words(run.summary) == found[1:]


def test_one_deal_and_none() -> None:
    summary = simulate("douque", "random", 1).summary
    assert words(summary)[-3:-1] == ["0.25", "0"]  # known, whatever was played
    assert words(summary)[-1].endswith("(? to ?)")
    assert "? (? to ?)" in words(summary.empty())


def test_names_of_a_lineup_are_text() -> None:
    odd = [Entrant("<i>x</i>", load_strategy("dump"), ())] * 4
    assert "<i>" not in simulate("douque", odd, 3)._repr_html_()


def test_a_replay() -> None:
    found = replay("douque", "random,lowest,dump,highest", 7, 3)
    text = words(found)
    assert f"seat {found.winner}" in text[0] and "pass" in text
    assert f"{len(found.turns)} turns" in text
    assert text.count("2♠") in (1, 2)  # in a hand, and where it is played
    assert all(str(payoff) in text for payoff in found.payoffs)
