"""Guards `bigtwo report`: what it says, in both formats, of every kind of run."""

import json
import re
import sys
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import analyses
from analyses.report import FORMATS, charts, report
from analyses.report.page import make_report, render
from analyses.report.words import percent, points
from simcore import InputError, simulate
from tests.command import data, line, refuse

FOUR = "random,lowest,dump,highest"
# name: (rules, lineup, deals, further arguments)
RUNS: dict[str, tuple[str, str, int, dict[str, Any]]] = {
    "field": ("douque", FOUR, 300, {}),
    "one deal": ("douque", FOUR, 1, {}),
    "alone": ("maceplay", "dump", 40, {}),
    "alone, one deal": ("maceplay", "dump", 1, {}),
    "three": ("royal", "dump,lowest,keep", 50, {"stake": 5}),
    "two": ("hongkong", "dump,lowest", 50, {"players": 2}),
    "sums": ("lockout", FOUR, 100, {"summary_only": True}),
    "sums of one deal": ("lockout", FOUR, 1, {"summary_only": True}),
    "fixed": ("lockout", "dump,lowest,dump,lowest", 30, {"seatings": "fixed", "first_deal": 9}),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders of RUNS."""
    folder = tmp_path_factory.mktemp("runs")
    for name, (rules, lineup, deals, more) in RUNS.items():
        simulate(rules, lineup, deals, 1, out=folder / name, **more)
    return {name: str(folder / name) for name in RUNS}


@pytest.mark.parametrize("name", RUNS)
def test_every_run_has_a_report(name: str, runs: dict[str, str]) -> None:
    made = make_report([runs[name]], None, lambda text: None)
    for to in FORMATS:
        check_report(name, to, render(made, to))


def check_report(name: str, to: str, text: str) -> None:
    own = text.split("<script>const")[0] if to == "html" else text
    prose = re.sub(
        r"<script.*?</script>|<style>.*?</style>|<iframe.*?</iframe>", "", own, flags=re.DOTALL
    )
    assert not re.search(r"\b(nan|None|inf|undefined)\b", prose), name
    assert f"bigtwo simulate --rules {RUNS[name][0]}" in prose and "bigtwo report" in prose
    for word in ("What the intervals mean", "Clopper", "numba", "deals"):
        assert word in prose
    assert ("Rare events" in prose.split("What the intervals mean")[0]) != ("sums" in name)
    if "sums" in name:
        assert "keeps sums only" in prose
    if "one deal" in name:
        assert "One deal has no interval" in prose
        assert ("**1 deal**" if to == "md" else "<strong>1 deal</strong>") in text
    if to == "html":
        assert text.startswith("<!doctype html>") and text.count("<script") == text.count(
            "</script"
        )
        assert len(text) < 2_000_000


def test_a_report_explains_itself(runs: dict[str, str], tmp_path: Path) -> None:
    """Contents that lead somewhere, words, rules, what the author says; one bankroll for all."""
    asked = (
        f"report '{runs['field']}' -o {{out}} --deals 0 --title 'Club <night>' --author Ann "
        "--date 2026-03-01 --note 'As agreed.'"
    )
    assert line(asked, out=tmp_path / "a.html").status == 0
    html = (tmp_path / "a.html").read_text("utf-8")
    assert "<h1>Club &lt;night&gt;</h1>" in html and "Ann, 2026-03-01" in html
    assert '<p class="note">As agreed.</p>' in html
    for place in re.findall(r'href="#([\w-]+)"', html):
        assert html.count(f'id="{place}"') == 1, place
    assert "<dt>dump</dt><dd>Lead" in html and "Sizes of the regular plays" in html
    assert "balanced seatings</dt>" in html and ".00 [" not in html.split("Payoff in figures")[1]
    about = re.search(r'aria-label="(Mean payoff\. [^"]+)"', html)
    table = analyses.strategy_table(analyses.run_summary(runs["field"]))
    assert about is not None
    for row in table.to_dict("records"):
        figures = (row["payoff"], row["payoff_low"], row["payoff_high"])
        assert (
            f"{row['strategy']}: {figures[0]:.2f}, {figures[1]:.2f} to {figures[2]:.2f}"
            in (about[1])
        )
    bankrolls = re.findall(r"begins with a bankroll of ([\d,]+) points", html)
    usual = analyses.session(runs["field"], sessions=100)
    most = usual[usual["figure"] == "bankroll"]["value"].max()
    assert bankrolls == [f"{most:,.0f}"]
    assert len(re.findall(r"the bankroll is lost in [\d.]+ % \([\d.]+ to [\d.]+ %\)", html)) == 4


def test_figures_are_those_of_the_analyses(runs: dict[str, str]) -> None:
    text = report([runs["field"]], "md")
    table = analyses.strategy_table(analyses.run_summary(runs["field"]))
    best = table.sort_values("payoff").to_dict("records")[-1]
    assert f"**{best['strategy']}** earns most: {points(best, 'payoff')} a playout" in text
    assert f"wins {percent(best, 'win_rate')} of its playouts" in text
    pairs = analyses.differences(analyses.run_summary(runs["field"]))
    assert pairs["low"].gt(0).any()
    for row in analyses.rare_events(runs["field"]).to_dict("records"):
        assert re.search(rf"\| {re.escape(row['event'])} \| {row['playouts']} \|", text)
    luck = analyses.variance_shares(runs["field"]).set_index("source").to_dict("index")
    assert f"{percent(luck['cards'], 'share')} comes from the **cards**" in text


def test_words_for_figures() -> None:
    row = {"payoff": 10.9477, "payoff_low": 10.828, "payoff_high": 11.067}
    assert points(row, "payoff") == "10.95 points (10.83 to 11.07)"
    row = {"win_rate": 0.52364, "win_rate_low": 0.5213, "win_rate_high": 0.52597}
    assert percent(row, "win_rate") == "52.36 % (52.13 to 52.60 %)"
    nan = float("nan")
    assert percent({"x": 0.5, "x_low": nan, "x_high": nan}, "x") == "50.0 %"
    assert points({"x": 3.0, "x_low": 3.0, "x_high": 3.0}, "x") == "3.00 points (3.00 to 3.00)"


def test_twins_are_not_called_better(tmp_path: Path) -> None:
    """A against itself under another name: no winner."""
    from simcore.strategies.registry import Entrant, load_strategy

    twins = [Entrant(name, load_strategy("random"), ()) for name in ("A", "B", "A", "B")]
    simulate("maceplay", twins, 200, 4, out=tmp_path)
    assert "is **not settled**" in report([str(tmp_path)], "md")


def test_several_runs(runs: dict[str, str]) -> None:
    chosen = [runs[name] for name in ("field", "three", "sums")]
    text = report(chosen, "md")
    assert "## All runs" in text and text.count("**Strategies of all runs**") == 1
    for run in chosen:
        assert f": {run}" in text
    assert text.count("bigtwo simulate") >= 3


def test_tables_of_a_comparison_are_one_matrix(tmp_path: Path) -> None:
    """Runs of two strategies each: who beats whom comes first, and each run folds away."""
    names = ["random", "lowest", "highest", "dump"]
    chosen = []
    for a, b in combinations(names, 2):
        chosen.append(str(tmp_path / f"{a} {b}"))
        simulate("maceplay", [a, b, a, b], 20, summary_only=True, out=chosen[-1])
    html = report(chosen, "html")
    assert html.index("at a table with the column") < html.index('id="summary"')
    assert html.count("<details><summary>maceplay: ") == 6
    (matrix,) = [
        spec
        for found in re.findall(r'<script type="application/json">(.*?)</script>', html, re.S)
        if "at a table with" in (spec := json.loads(found))["description"]
    ]
    cells = matrix["data"]["values"]
    assert {(c["row"], c["column"]) for c in cells} == set(permutations(names, 2))
    paid = {(c["row"], c["column"]): c["payoff"] for c in cells}
    assert paid["dump", "random"] == -paid["random", "dump"] > 0


def test_the_dealt_cards(runs: dict[str, str]) -> None:
    from simcore.samples.hands import dealt_hands

    hands = {runs["field"]: dealt_hands(runs["field"])}
    assert "What the dealt cards are worth" not in report([runs["field"]], "md")
    text = report([runs["field"]], "md", hands)
    assert "A regression on these features explains" in text and "| least plays |" in text


def test_heat_map_of_any_strategies() -> None:
    """A frame as a comparison gives it: rows, columns, payoffs, bounds, deals."""
    names = ["A", "B", "C"]
    rows = [
        {"row": a, "column": b, "payoff": i - j, "low": i - j - 0.5, "high": i - j + 0.5,
         "deals": 10}
        for i, a in enumerate(names) for j, b in enumerate(names) if a != b
    ]  # fmt: skip
    spec = json.loads(charts.matrix(pd.DataFrame(rows), "Payoffs", "Points").spec)
    (values,) = {json.dumps(v) for v in spec["datasets"].values()} if "datasets" in spec else {
        json.dumps(spec.get("data", spec["layer"][0].get("data"))["values"])
    }  # fmt: skip
    cells = json.loads(values)
    assert [cell["payoff"] for cell in cells] == [row["payoff"] for row in rows]
    assert {cell["half"] for cell in cells} == {"± 0.50"}
    assert {cell["certain"] for cell in cells} == {"yes"}
    zero = pd.DataFrame(rows).assign(payoff=0.0, low=float("nan"), high=float("nan"))
    assert "no interval" in charts.matrix(zero, "Payoffs", "Points").spec


def test_text_cannot_become_markup(tmp_path: Path) -> None:
    """A strategy with a hostile name stays text, in prose, tables and plots."""
    from simcore.strategies.registry import Entrant, load_strategy

    odd = "</script><b>|**x"
    lineup = [Entrant(name, load_strategy("dump"), ()) for name in (odd, "B", odd, "B")]
    simulate("maceplay", lineup, 20, out=tmp_path)
    text = report([str(tmp_path)], "html")
    assert "<b>|" not in text and text.count("<script") == text.count("</script")


# ------------------------------------------------------------------ the command


def test_the_command_writes_one_file(runs: dict[str, str], tmp_path: Path) -> None:
    asked = f"report '{runs['field']}' -o {{out}}"
    shown = line(asked, out=tmp_path / "a.html")
    assert shown.status == 0 and "a.html" in shown.out
    assert (tmp_path / "a.html").read_text("utf-8").startswith("<!doctype html>")
    found = data(f"{asked} --deals 0", out=tmp_path / "b.md")
    assert found["format"] == "md" and found["bytes"] == (tmp_path / "b.md").stat().st_size
    assert (tmp_path / "b.md").read_text("utf-8").startswith("# Big Two")
    again = data(asked, out=tmp_path / "b.md")
    assert again["bytes"] > found["bytes"], "an old report is replaced; dealt cards are in it"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "b.md"]


BAD = [
    ("report '{run}' -o {out}/no/report.html", ["folder", "does not exist; create it first"]),
    ("report '{run}' -o {out}", ["cannot be written", "choose another --out"]),
    ("report '{run}' '{run}' -o {out}/x.html", ["is given twice"]),
    ("report '{run}' --to pdf -o {out}/x.html", ["unknown format 'pdf'", "html"]),
    ("report '{run}' --deals -1 -o {out}/x.html", ["-1 deals are out of bounds"]),
    ("report {out}/nowhere -o {out}/x.html", ["holds no run"]),
]


@pytest.mark.parametrize(("command", "fragments"), BAD, ids=[command for command, _ in BAD])
def test_bad_input(
    command: str, fragments: list[str], runs: dict[str, str], tmp_path: Path
) -> None:
    refuse(line(command, run=runs["alone"], out=tmp_path), *fragments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("missing", ["altair", "jinja2", "vl_convert"])
def test_a_missing_extra_is_named(
    missing: str, runs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [n for n in sys.modules if n.startswith(("analyses.report.", f"{missing}"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match=rf"needs {missing}.*pip install 'bigtwo-lab\[report\]'"):
        report([runs["alone"]], "md" if missing == "jinja2" else "html")
