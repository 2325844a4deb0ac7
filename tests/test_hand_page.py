"""A hand's page in a real browser: every step by button, key and finger; it fits on a phone."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from simcore.records import Record, page, settlement, write_page
from tests.command import line
from tests.recorded import good_records, written_passes

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1200, "height": 900}
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


class Shown:
    """A page with all that it said and asked for."""

    def __init__(self, browser: Browser, file: Path, viewport: Any = PHONE, **options: Any) -> None:
        self.page: Page = browser.new_page(viewport=viewport, **options)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("body[data-drawn]", state="attached")

    def place(self) -> str:
        return self.page.inner_text("#place")

    def hand(self, seat: int) -> list[str]:
        """Cards in notation."""
        labels = self.page.eval_on_selector_all(
            f"#seat{seat} .hand .card", "nodes => nodes.map(node => node.ariaLabel)"
        )
        words = [label.split(" of ") for label in labels]
        return [("T" if rank == "10" else rank) + suit[0] for rank, suit in words]


@pytest.fixture(scope="module")
def record() -> Record:
    """A hand of douque with a long list of reasons, names that are markup, and values."""
    found = max(good_records("douque", 4), key=lambda record: max(map(abs, record.payoffs or ())))
    values: list[Any] = [None] * len(found.turns)
    values[0] = {" ".join(found.turns[0].cards): [1.5, 1, 2], "2s": -3.25, "pass": 0.5}
    names = ("</script><b>Ann</b>", "Bob", "A name that is much too long for a phone's screen", "D")
    return replace(found, names=names, values=tuple(values), id="x<y", time="2026-11-30")


def test_every_step_shows_the_hands(browser: Browser, record: Record, tmp_path: Path) -> None:
    write_page(record, tmp_path / "page.html")
    shown = Shown(browser, tmp_path / "page.html")
    hands = [list(hand or ()) for hand in record.hands]
    for step in range(len(record.turns) + 1):
        assert shown.place() == f"{step} of {len(record.turns)}"
        for seat in range(4):
            assert shown.hand(seat) == hands[seat]
        if step < len(record.turns):
            seat, cards = record.turns[step]
            assert shown.page.locator(".seat.next").get_attribute("id") == f"seat{seat}"
            hands[seat or 0] = [card for card in hands[seat or 0] if card not in cards]
            shown.page.click("#forth") if step % 2 else shown.page.keyboard.press("ArrowRight")
            played = shown.page.locator("#trick li").last.locator(".card").count()
            assert played == len(cards)
    assert shown.page.locator("#forth").is_disabled()
    sums = shown.page.locator("#payoffs tr.sum td.n").all_inner_texts()
    assert [int(x.replace("−", "-").replace(",", "")) for x in sums] == list(record.payoffs or ())
    rows = shown.page.locator("#payoffs tr:not(.sum)")
    assert rows.count() == len(settlement(record))
    assert "</script><b>Ann</b>" in shown.page.inner_text("#seat0")
    shown.page.keyboard.press("Home")
    shown.page.click("#forth")
    assert shown.page.locator("#worth tr").count() == 3
    assert shown.page.locator("#worth tr.chosen").inner_text().endswith("played: best")
    shown.page.keyboard.press("End")
    shown.page.keyboard.press("ArrowLeft")
    assert shown.place().startswith(f"{len(record.turns) - 1} of")
    shown.page.evaluate("document.getElementById('log').open = true")
    shown.page.locator("#log button").nth(4).click()
    assert shown.place().startswith("5 of")
    assert shown.said == [] and shown.asked == [(tmp_path / "page.html").as_uri()]
    shown.page.close()


@pytest.mark.parametrize(
    ("table", "viewport", "scheme"),
    [(("douque", 4), PHONE, "light"), (("lockout", 3), PHONE, "dark"), (("hongkong", 2), PHONE,
     "dark"), (("hongkong", 2), DESKTOP, "light"), (("lockout", 3), DESKTOP, "dark")],
)  # fmt: skip
def test_it_fits_at_every_step(
    table: tuple[str, int], viewport: Any, scheme: Any, browser: Browser, tmp_path: Path
) -> None:
    rules, players = table
    found = written_passes(good_records(rules, players)[0])
    found = replace(found, hands=(None, *found.hands[1:]))
    write_page(found, tmp_path / "page.html")
    shown = Shown(browser, tmp_path / "page.html", viewport, color_scheme=scheme)
    for _ in found.turns:
        shown.page.keyboard.press("ArrowRight")
        width = shown.page.evaluate("document.documentElement.scrollWidth")
        assert width <= viewport["width"]
    shown.page.evaluate("document.getElementById('log').open = true")
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    boxes = [shown.page.locator(f"#seat{seat}").bounding_box() for seat in range(players)]
    assert len({(box["x"], box["y"]) for box in boxes if box}) == players
    assert shown.said == []
    ink, paper = (
        shown.page.evaluate(f"getComputedStyle(document.body).{what}")
        for what in ("color", "backgroundColor")
    )
    assert (sum(map(int, ink[4:-1].split(","))) > sum(map(int, paper[4:-1].split(",")))) == (
        scheme == "dark"
    )
    shown.page.close()


def test_a_finger_turns_the_pages(browser: Browser, record: Record, tmp_path: Path) -> None:
    write_page(record, tmp_path / "page.html")
    shown = Shown(browser, tmp_path / "page.html", has_touch=True)
    swipe = """([x0, x1]) => {
      const at = x => [new Touch({identifier: 1, target: document.body, clientX: x, clientY: 99})];
      dispatchEvent(new TouchEvent("touchstart", {touches: at(x0), changedTouches: at(x0)}));
      dispatchEvent(new TouchEvent("touchend", {touches: [], changedTouches: at(x1)}));
    }"""
    for x0, x1, place in ((300, 100, 1), (300, 100, 2), (100, 300, 1), (100, 120, 1)):
        shown.page.evaluate(swipe, [x0, x1])
        assert shown.place().startswith(f"{place} of")
    shown.page.locator("#forth").tap()
    assert shown.place().startswith("2 of")
    shown.page.close()


def test_a_faulty_hand_ends_at_its_fault(browser: Browser, record: Record, tmp_path: Path) -> None:
    wrong = replace(record, turns=(*record.turns[:5], record.turns[0], *record.turns[6:]),
                    values=None)  # fmt: skip
    (tmp_path / "records.jsonl").write_text(wrong.as_line())
    asked = f"records show {tmp_path}/records.jsonl --html {tmp_path}/page.html"
    assert line(asked).status == 0
    shown = Shown(browser, tmp_path / "page.html")
    shown.page.keyboard.press("End")
    assert shown.place() == "5 of 5"
    assert "line 1 (x<y), turn 6" in shown.page.inner_text(".fault")
    shown.page.close()


def test_the_page_holds_the_record_as_data(record: Record) -> None:
    text = page(record)
    assert text.count("</script>") == 2 and "http" not in text.replace("http://www.w3.org", "")
    data = text.split('id="record">')[1].split("</script>")[0]
    assert json.loads(data)["names"][0] == "</script><b>Ann</b>"
