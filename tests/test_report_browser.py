"""A report in a real browser: everything is drawn, nothing is fetched, it fits on a phone."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from simcore import simulate
from tests.command import PATIENCE, line

FOUR = "random,lowest,dump,highest"
PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1200, "height": 900}
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"), reason="needs Chromium (bash .ci/setup)"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports on a usual run, on several at once, and on a single deal."""
    folder = tmp_path_factory.mktemp("reports")
    simulate("douque", FOUR, 2000, 1, out=folder / "field")
    simulate("royal", "dump,lowest,keep", 200, 1, out=folder / "three")
    simulate("lockout", FOUR, 200, 1, out=folder / "sums", summary_only=True)
    simulate("maceplay", FOUR, 1, 1, out=folder / "one")
    for name, runs in {"field": ["field"], "several": ["field", "three", "sums"],
                       "one": ["one"]}.items():  # fmt: skip
        places = " ".join(str(folder / run) for run in runs)
        assert line(f"report {places} -o {folder}/{name}.html").status == 0
    return {name: folder / f"{name}.html" for name in ("field", "several", "one")}


class Shown:
    """A page with all that it said and asked for."""

    def __init__(self, browser: Browser, file: Path, viewport: Any, **options: Any) -> None:
        self.page: Page = browser.new_page(viewport=viewport, **options)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("body[data-drawn]", state="attached")


@pytest.mark.parametrize(
    ("name", "viewport", "scheme"),
    [("field", PHONE, "light"), ("field", DESKTOP, "dark"), ("several", PHONE, "dark"),
     ("one", PHONE, "light")],
    ids=["field, phone", "field, dark desktop", "several, dark phone", "one deal, phone"],
)  # fmt: skip
def test_a_report_is_drawn_and_fetches_nothing(
    name: str, viewport: Any, scheme: Any, browser: Browser, files: dict[str, Path]
) -> None:
    shown = Shown(browser, files[name], viewport, color_scheme=scheme)
    page = shown.page
    assert shown.said == []
    assert shown.asked == [files[name].as_uri()]
    plots = page.query_selector_all(".plot")
    assert len(plots) >= (40 if name == "several" else 15)
    for plot in plots:
        box = plot.query_selector("svg").bounding_box()
        assert box is not None and box["height"] > 50
        assert 0 < box["width"] <= viewport["width"]
        about = plot.get_attribute("aria-label")
        assert about and about.endswith("."), "a plot says what it shows"
        kinds = ("rect path", "symbol path", "line path", "rule line")
        assert plot.query_selector_all(", ".join(f".mark-{kind}" for kind in kinds)), about
    assert "NaN" not in "".join(plot.inner_html() for plot in plots)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.close()


def test_every_axis_has_a_title_with_its_unit(browser: Browser, files: dict[str, Path]) -> None:
    page = Shown(browser, files["field"], DESKTOP).page
    titles = page.eval_on_selector_all(
        ".role-axis-title text", "nodes => nodes.map(node => node.textContent)"
    )
    assert len(titles) > 30
    for title in titles:
        assert any(
            unit in title
            for unit in ("points", "%", "cards", "plays", "tricks", "deals", "seat", "dealt",
                         "ranks", "playouts")
        ), title  # fmt: skip
    page.close()


def test_colours_follow_the_scheme(browser: Browser, files: dict[str, Path]) -> None:
    shades = {}
    for scheme in ("light", "dark"):
        page = Shown(browser, files["field"], DESKTOP, color_scheme=scheme).page
        ink = "getComputedStyle(document.querySelector('.role-axis-label text')).fill"
        paper = "getComputedStyle(document.body).backgroundColor"
        shades[scheme] = [_luminance(page.evaluate(what)) for what in (ink, paper)]
        if scheme == "dark":
            page.emulate_media(media="print")
            shades["print"] = [_luminance(page.evaluate(what)) for what in (ink, paper)]
        page.close()
    for scheme, (ink, paper) in shades.items():
        contrast = (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)
        assert contrast > 7, (scheme, "ink on paper")  # WCAG 2.2, level AAA
        assert (ink > paper) == (scheme == "dark")


def _luminance(colour: str) -> float:
    """Relative luminance of "rgb(1, 2, 3)" (WCAG 2.2)."""
    parts = [int(x) / 255 for x in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_on_a_heat_map_and_in_legends_can_be_read(
    browser: Browser, files: dict[str, Path]
) -> None:
    page = Shown(browser, files["field"], PHONE).page
    matrix = page.locator(".plot[aria-label^='Payoff of the row']")
    found = "nodes => nodes.map(node => getComputedStyle(node).fill)"
    cells = matrix.locator(".mark-rect.role-mark path").evaluate_all(found)
    texts = matrix.locator(".mark-text").first.locator("text").evaluate_all(found)
    assert len(cells) == len(texts) == 12
    for cell, text in zip(cells, texts, strict=True):
        a, b = sorted(map(_luminance, (cell, text)))
        assert (b + 0.05) / (a + 0.05) >= 4.5, (cell, text)  # WCAG 2.2, level AA
    labels = page.locator(".role-legend-label text, .role-axis-label text").all_text_contents()
    assert set(FOUR.split(",")) <= set(labels)
    assert not any("…" in text or text in ("+0", "+0.0") or "−" in text for text in labels)
    page.close()


def test_hovering_shows_the_numbers(browser: Browser, files: dict[str, Path]) -> None:
    page = Shown(browser, files["field"], DESKTOP).page
    page.locator(".plot .mark-symbol path").first.hover()
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    text = tooltip.inner_text()
    for word in ("strategy", "mean payoff", "95 % from", "deals", "2,000"):
        assert word in text
    page.close()


def test_tables_sort_by_figures_and_by_words(browser: Browser, files: dict[str, Path]) -> None:
    page = Shown(browser, files["field"], DESKTOP).page
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    table = page.locator("table").first
    cells = "table => [...table.tBodies[0].rows].map(row => row.cells[{}].textContent)"

    def column(index: int) -> list[str]:
        found: list[str] = table.evaluate(cells.format(index))
        return found

    before = column(0)
    table.locator("th button", has_text="payoff").click()
    payoffs = [float(text.split()[0]) for text in column(4)]
    assert payoffs == sorted(payoffs, reverse=True) and column(0) != before
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("payoff")
    table.locator("th button", has_text="payoff").click()
    assert [float(text.split()[0]) for text in column(4)] == sorted(payoffs)
    table.locator("th button", has_text="strategy").click()
    assert column(0) == sorted(before, reverse=True)
    assert table.locator("th[aria-sort]").count() == 1
    page.close()


def test_on_paper_every_table_is_open(browser: Browser, files: dict[str, Path]) -> None:
    page = Shown(browser, files["field"], DESKTOP).page
    closed = "document.querySelectorAll('details:not([open])').length"
    before = page.evaluate(closed)
    assert before > 3
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(closed) == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(closed) == before
    assert len(page.pdf(format="A4")) > 50_000
    page.close()


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_page_of_a_score_sheet_is_drawn(
    viewport: Any, browser: Browser, tmp_path: Path
) -> None:
    run = simulate("maceplay", "dump,lowest,keep,random", 60, 1, seatings="fixed")
    left = run.playouts()[[f"cards_left_{seat}" for seat in range(4)]]
    left.to_csv(tmp_path / "club.csv", index=False, header=["Ann", "Ben", "Cleo", "Dan"])
    asked = f"sheet {tmp_path}/club.csv --rules maceplay --strategies dump,keep --deals 200"
    assert line(f"{asked} -o {tmp_path}/page.html").status == 0
    shown = Shown(browser, tmp_path / "page.html", viewport)
    assert shown.said == [] and shown.asked == [(tmp_path / "page.html").as_uri()]
    plots = shown.page.query_selector_all(".plot svg")
    assert len(plots) == 5
    for plot in plots:
        box = plot.bounding_box()
        assert box is not None and box["height"] > 50 and 0 < box["width"] <= viewport["width"]
        assert "NaN" not in plot.inner_html()
        assert plot.query_selector_all(".mark-symbol path, .mark-line path, .mark-rect path")
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    shown.page.close()


def test_an_example_hand_is_played_in_its_frame(browser: Browser, files: dict[str, Path]) -> None:
    page = browser.new_page(viewport=DESKTOP)
    page.goto(files["field"].as_uri())
    first = page.locator("details.hand").first
    assert "seating" in first.inner_text() and not first.locator("iframe").is_visible()
    first.locator("summary").click()
    frame = first.locator("iframe").content_frame
    before = frame.locator("body").inner_text(timeout=PATIENCE * 1000)
    page.keyboard.press("Tab")
    frame.locator("body").press("ArrowRight")
    assert frame.locator("body").inner_text() != before
    page.close()
