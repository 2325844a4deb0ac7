"""What a report says of one run: sentences, plots and tables, section by section."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

import analyses
from analyses.cells import Column, columns
from analyses.hands import R2
from analyses.report import charts
from analyses.report.charts import Plot
from simcore.errors import BigTwoError
from simcore.runs.reading import read_run
from simcore.runs.summary import Summary

FEW_DEALS = 100
Row = Mapping[Any, Any]  # of a tidy frame


@dataclass
class Table:
    """A table with a heading."""

    title: str
    columns: list[Column]

    def rows(self) -> list[list[tuple[str, Any, bool]]]:
        """(text, value to sort by, whether it is a figure) of every cell."""
        return [
            [(c.texts[i], c.values[i], c.is_figure) for c in self.columns]
            for i in range(len(self.columns[0].texts))
        ]


@dataclass
class Section:
    """One heading with what stands under it; text may hold **bold** words."""

    title: str
    text: list[str] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


@dataclass
class Chapter:
    """Everything about one run."""

    run: str
    title: str
    summary: list[str]
    sections: list[Section]


class RunReport:
    """The sections of one run's chapter; `hands` as simcore.samples.hands gives them, or None."""

    def __init__(self, run: str, hands: pd.DataFrame | None) -> None:
        self.run, self.hands = run, hands
        self.reader = read_run(run)
        self.who = self.reader.identity
        self.summary = self.reader.summary
        self.strategies = analyses.strategy_table(self.summary)
        self.has_playouts = self.reader.keeps_playouts
        self.names = self.summary.groups

    def chapter(self, progress: Callable[[str], None]) -> Chapter:
        """All sections; one that the run cannot give says why instead."""
        title = f"{self.who['rules']['name']}: {', '.join(self.names)}"
        builders: list[tuple[str, Callable[[Section], None]]] = [
            ("Strategies", self._strategies),
            ("Against each other", self._matrix),
            ("Seats and neighbours", self._seats),
            ("Payoffs", self._payoffs),
            ("Cards left", self._cards_left),
            ("Length and last play", self._lengths),
            ("How the estimate settles", self._convergence),
            ("Luck and skill", self._luck),
            ("An evening of 100 playouts", self._session),
            ("What the dealt cards are worth", self._hands),
            ("Rare events", self._rare),
        ]
        needs_playouts = {name for name, _ in builders[5:]}
        sections, left_out = [], []
        self.sentences = self._first_sentences()
        for name, build in builders:
            progress(f"{self.run}: {name.lower()}")
            section = Section(name)
            if name in needs_playouts and not self.has_playouts:
                left_out.append(name.lower())
                continue
            try:
                build(section)
            except BigTwoError as error:
                section.text.append(f"Not shown: {error}.")
            if section.text or section.plots or section.tables:
                sections.append(section)
        if left_out:
            self.sentences.append(
                "The run keeps sums only, so there is nothing here on " + listed(left_out) + "."
            )
        return Chapter(self.run, title, self.sentences, sections)

    # ------------------------------------------------------------------ sentences

    def _first_sentences(self) -> list[str]:
        s, who = self.summary, self.who
        deals = "1 deal" if s.n_deals == 1 else f"{s.n_deals:,} deals"
        found = [
            f"**{deals}**, {s.playouts:,} playouts of {who['rules']['name']} with "
            f"{s.players} players, {who['seatings']} seatings, seed {who['seed']}."
        ]
        if s.n_deals < FEW_DEALS:
            few = "One deal has no interval" if s.n_deals == 1 else "The intervals are rough"
            found.append(f"{few}: play {FEW_DEALS} deals or more before you conclude anything.")
        if len(self.names) == 1:
            found.append(
                f"**{self.names[0]}** sits in every seat, so its mean payoff is 0 and it wins one "
                f"playout in {s.players}; what differs is the seat and the cards."
            )
            return found
        table = self.strategies.sort_values("payoff", ascending=False).to_dict("records")
        best = table[0]
        found.append(
            f"**{best['strategy']}** earns most: {points(best, 'payoff')} a playout, and wins "
            f"{percent(best, 'win_rate')} of its playouts."
        )
        most_wins = max(table, key=lambda row: row["win_rate"])
        if most_wins["strategy"] != best["strategy"]:
            found.append(
                f"**{most_wins['strategy']}** wins most often: {percent(most_wins, 'win_rate')}."
            )
        pairs = analyses.differences(s)
        pairs = pairs[(pairs["row"] == best["strategy"])].sort_values("payoff")
        rival = pairs.to_dict("records")[0]
        if rival["low"] > 0:
            found.append(
                f"On the same deals it earns **{points(rival, 'payoff', 'low', 'high')} more** "
                f"than {rival['column']}, the next best."
            )
        elif rival["low"] <= 0:
            found.append(
                f"Whether it is better than {rival['column']} is **not settled**: the difference "
                f"is {points(rival, 'payoff', 'low', 'high')}."
            )
        return found

    # ------------------------------------------------------------------ sections

    def _strategies(self, section: Section) -> None:
        table = self.strategies
        if len(self.names) > 1:
            section.plots += [
                charts.strategies(table, "payoff", "mean payoff (points)", "+,~f", True),
                charts.strategies(table, "win_rate", "win rate (% of playouts)", "~%", False),
            ]
        section.tables.append(Table("By strategy", columns(table)))

    def _matrix(self, section: Section) -> None:
        if len(self.names) < 2:
            return
        found = analyses.differences(self.summary)
        section.plots.append(
            charts.matrix(
                found,
                "Payoff of the row's strategy less the column's",
                "Points per playout at the same table on the same deals, with half of the 95 % "
                "interval. Blue: the row earns more.",
                unit="points",
            )
        )
        section.tables.append(Table("Differences", columns(found)))

    def _seats(self, section: Section) -> None:
        seats = analyses.seat_table(self.summary).assign(deals=self.summary.n_deals)
        seats = seats[seats["playouts"] > 0]
        section.plots.append(charts.seats(seats, self.summary.players))
        if not self.has_playouts:
            section.tables.append(Table("By seat from the starter", columns(seats)))
            return
        table = analyses.means(self.reader, ("seat_from_starter",))
        starter = table.to_dict("records")[0]
        self.sentences.append(
            f"The **starter** wins {percent(starter, 'win_rate')} of the playouts (an equal share "
            f"is {100 / self.summary.players:.3g} %) and earns {points(starter, 'payoff')}."
        )
        section.tables += [
            Table("By seat from the starter, all strategies", columns(table)),
            Table(
                "By strategy and seat",
                columns(analyses.means(self.reader, ("strategy", "seat_from_starter"))),
            ),
        ]
        if len(self.names) > 1:
            for key, words in (("upstream", "plays just before"), ("downstream", "just after")):
                found = analyses.means(self.reader, ("strategy", key))
                section.tables.append(Table(f"By neighbour who {words} ({key})", columns(found)))

    def _distribution(self, variable: str) -> pd.DataFrame:
        if self.has_playouts:
            return analyses.distributions(self.reader, variable)
        return _from_summary(self.summary, variable)

    def _payoffs(self, section: Section) -> None:
        found = self._distribution("payoff")
        bins, step = _bins(found)
        top = max(float(b["share"].max()) for b in bins.values())
        for i, name in enumerate(self.names):
            section.plots.append(charts.payoff_bars(bins[name], name, i, top * 1.05, step))
        losses = found[(found["value"] < 0) & (found["at_most"] > 0)]
        if len(losses):
            tails = losses.assign(
                loss=-losses["value"], share=losses["at_most"], share_low=losses["at_most_low"],
                share_high=losses["at_most_high"],
            )  # fmt: skip
            section.plots.append(charts.tails(_thinned(tails)))
        if self.has_playouts:
            table = analyses.quantiles(self.reader, "payoff").drop(columns="variable")
            section.tables.append(Table("Payoff in figures", columns(table)))

    def _cards_left(self, section: Section) -> None:
        found = self._distribution("cards_left")
        top = float(np.nanmax(found[["share", "share_high"]].to_numpy())) * 1.02
        for i, name in enumerate(self.names):
            mine = found[found["strategy"] == name]
            caption = "0 cards: won."
            section.plots.append(
                charts.bars(mine, name, i, "cards left", "Cards left", caption, top)
            )
        table = found[["strategy", "value", "count", "share", "share_low", "share_high", "deals"]]
        section.tables.append(Table("Cards left", columns(table)))

    def _lengths(self, section: Section) -> None:
        for variable, x in (("plays", "plays of all seats"), ("tricks", "tricks")):
            found = analyses.distributions(self.reader, variable)
            top = float(np.nanmax(found[["share", "share_high"]].to_numpy())) * 1.02
            caption = f"Length of a playout in {variable}, with 95 % intervals."
            title = f"{variable.capitalize()} per playout"
            section.plots.append(charts.bars(found, "", 0, x, title, caption, top))
        kinds = analyses.distributions(self.reader, "last_kind")
        keep = ["value", "count", "share", "share_low", "share_high", "deals"]
        section.tables.append(Table("The last play", columns(kinds[keep])))
        times = analyses.distributions(self.reader, "winner_multiplier")
        if len(times) > 1:
            section.tables.append(
                Table("What the last play multiplies payoffs by", columns(times[keep]))
            )
        figures = pd.concat(
            [analyses.quantiles(self.reader, v) for v in ("plays", "passes", "tricks")]
        ).drop(columns="strategy")
        section.tables.append(Table("Lengths in figures", columns(figures)))

    def _convergence(self, section: Section) -> None:
        found = analyses.convergence(self.reader)
        if len(self.names) == 1:
            section.text.append("One strategy in all seats: its mean payoff is 0 in every deal.")
        elif found["deals"].nunique() < 2:
            section.text.append("Fewer than 11 deals: nothing to draw yet.")
        else:
            section.plots.append(charts.convergence(found))

    def _luck(self, section: Section) -> None:
        if len(self.names) > 1:
            ahead = analyses.playouts_until_ahead(self.reader)
            shown = ahead.assign(**{"better than": ahead["worse"]})
            first = ["better", "better than"]
            order = [*first, *(c for c in shown.columns if c not in (*first, "worse"))]
            section.tables.append(
                Table("Playouts until the better one is ahead with 95 %", columns(shown[order]))
            )
        found = analyses.variance_shares(self.reader)
        section.plots.append(charts.shares(found))
        section.tables.insert(0, Table("Where the variance comes from", columns(found)))
        share = found.set_index("source").to_dict("index")
        self.sentences.append(
            f"Of the variance of a payoff, {percent(share['cards'], 'share')} comes from the "
            f"**cards** and {percent(share['strategy'], 'share')} from the **strategy**."
        )

    def _session(self, section: Section) -> None:
        found = analyses.session(self.reader, sessions=2000)
        wide = found.pivot(index="strategy", columns="figure", values="value").loc[self.names]
        for name, row in wide.iterrows():
            section.text.append(
                f"**{name}**: half of the sessions end above {row['q0.5']:+,.0f} points, nine in "
                f"ten between {row['q0.05']:+,.0f} and {row['q0.95']:+,.0f}; a bankroll of "
                f"{row['bankroll']:,.0f} points is lost in {100 * row['ruin']:.1f} %."
            )
        wide.columns = wide.columns.str.replace(".", "_")
        wide = wide.reset_index().assign(deals=self.summary.n_deals)
        section.plots.append(charts.sessions(wide, "the bankroll"))
        rows = found[found["figure"] != "bankroll"]
        section.tables.append(Table("Sessions of 100 playouts", columns(rows)))

    def _hands(self, section: Section) -> None:
        if self.hands is None:
            return
        values = analyses.hand_values(self.reader, self.hands)
        labels = {
            "twos": "2s dealt", "aces": "aces dealt", "pairs": "ranks held twice or more",
            "triples": "ranks held three times or more", "bombs": "bombs dealt",
            "least_plays": "least number of plays",
        }  # fmt: skip
        for feature, label in labels.items():
            mine = values[values["feature"] == feature]
            # A handful of hands says nothing, and its interval flattens all the others.
            mine = mine[mine["deals"] >= min(30, mine["deals"].max())]
            section.plots.append(charts.hand(mine, f"Payoff by {label}", label))
        section.tables.append(Table("By what was dealt", columns(values)))
        fit = analyses.hand_regression(self.reader, self.hands)
        r2 = fit[fit["term"] == R2].to_dict("records")[0]
        section.text.append(
            f"A regression on these features explains **{percent(r2, 'estimate', 'low', 'high')}** "
            "of the variance between the seats of deals that it has not seen."
        )
        section.tables.append(Table("What one more is worth, points", columns(fit)))

    def _rare(self, section: Section) -> None:
        found = analyses.rare_events(self.reader)
        section.plots.append(charts.rare(found))
        section.tables.append(Table("How often", columns(found)))


# ------------------------------------------------------------------ words and figures


def points(row: Row, name: str, low: str = "", high: str = "") -> str:
    """10.95 points (10.83 to 11.07)."""
    a, b = row[low or f"{name}_low"], row[high or f"{name}_high"]
    if a != a:
        return f"{row[name]:.2f} points"
    digits = min(4, max(0, 1 - math.floor(math.log10((b - a) / 2)))) if b > a else 2
    return f"{row[name]:,.{digits}f} points ({a:,.{digits}f} to {b:,.{digits}f})"


def percent(row: Row, name: str, low: str = "", high: str = "") -> str:
    """52.4 % (52.1 to 52.6 %)."""
    a, b = row[low or f"{name}_low"], row[high or f"{name}_high"]
    if a != a:
        return f"{row[name]:.1%}".replace("%", " %")
    digits = min(4, max(0, 1 - math.floor(math.log10((b - a) * 50)))) if b > a else 1
    x, a, b = 100 * row[name], 100 * a, 100 * b
    return f"{x:.{digits}f} % ({a:.{digits}f} to {b:.{digits}f} %)"


def listed(words: list[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _bins(found: pd.DataFrame, number: int = 40) -> tuple[dict[str, pd.DataFrame], int]:
    """(strategy -> bins of the payoffs but the outermost 2 %, width of a bin in points)."""
    pooled = found.groupby("value")["count"].sum()
    at_most = pooled.cumsum() / pooled.sum()
    inner = [int(v) for v in pooled.index[(at_most >= 0.01) & (at_most.shift(fill_value=0) < 0.99)]]
    low, high = inner[0], inner[-1]
    step = max(1, -(-(high - low + 1) // number))
    first = math.floor(low / step)
    last = max(first, math.floor(high / step))
    frames = {}
    for name, mine in found.groupby("strategy", sort=False):
        at = (mine["value"].astype(int) // step).clip(first, last)
        share = mine.groupby(at)["share"].sum().reindex(range(first, last + 1), fill_value=0.0)
        start = np.array(share.index) * step
        frames[str(name)] = pd.DataFrame(
            {
                "from": start, "to": start + step, "last": start + step - 1,
                "share": share.to_numpy(), "deals": int(mine["deals"].iloc[0]),
            }
        )  # fmt: skip
    return frames, step


def _thinned(tails: pd.DataFrame, points: int = 60) -> pd.DataFrame:
    """At most so many losses of each strategy, evenly on a logarithmic scale."""
    kept: list[pd.DataFrame] = []
    for _, mine in tails.groupby("strategy", sort=False):
        place = np.round(np.log(mine["loss"]) / math.log(mine["loss"].max() + 1) * points)
        kept.append(mine[~place.duplicated()])
    return pd.concat(kept)


def _from_summary(summary: Summary, variable: str) -> pd.DataFrame:
    """`analyses.distributions` of payoff or cards_left from sums: shares without intervals."""
    rows = []
    for g, name in enumerate(summary.groups):
        counts: dict[int, int] = {}
        if variable == "payoff":
            for seat in summary.payoffs[g]:
                for payoff, n in seat.items():
                    value = payoff * summary.stake
                    counts[value] = counts.get(value, 0) + n
        else:
            left = summary.arrays["left"][g].sum(axis=0)
            counts = {cards: int(n) for cards, n in enumerate(left) if n}
        whole, below = sum(counts.values()), 0
        for value, n in sorted(counts.items()):
            row = {"variable": variable, "strategy": name, "value": value, "count": n}
            shares = {"share": n, "at_most": below + n, "at_least": whole - below}
            for label, count in shares.items():
                row |= {label: count / whole, f"{label}_low": math.nan, f"{label}_high": math.nan}
            rows.append(row | {"deals": summary.n_deals})
            below += n
    return pd.DataFrame(rows)
