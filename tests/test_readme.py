"""The commands and snippets of README and documentation run as they stand, in one folder."""

import re
import shlex
from pathlib import Path

import pytest

from cli.main import run

ROOT = Path(__file__).resolve().parents[1]


def pages() -> list[Path]:
    """README, then the pages in the order of the site."""
    order = re.findall(r"[\w./-]+\.md", (ROOT / "docs" / "mkdocs.yml").read_text("utf-8"))
    return [ROOT / "README.md", *(ROOT / "docs" / "pages" / page for page in order)]


def blocks() -> list[tuple[str, str]]:
    """(language, text) of every fenced block."""
    text = "\n".join(page.read_text("utf-8") for page in pages())
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_every_page_is_in_the_site() -> None:
    """And README, which is read without it, links to pages that are there."""
    assert set(pages()[1:]) == set((ROOT / "docs" / "pages").rglob("*.md"))
    for place in re.findall(r"\]\(([\w./-]+)\)", pages()[0].read_text("utf-8")):
        assert (ROOT / place).is_file(), place


def test_every_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT))
    scope: dict[str, object] = {}
    commands = 0
    for language, text in blocks():
        if name := re.match(r"# ([\w-]+\.\w+):", text):
            Path(name[1]).write_text(text)
        elif language == "python":
            exec(compile(text, "a page", "exec"), scope)
        elif language == "sh":
            for line in text.splitlines():
                words = shlex.split(line.removeprefix("bash .ci/setup && .venv/bin/"))
                if words[0] != "bigtwo":
                    assert line == ".venv/bin/python -m pytest -n 2"
                    continue
                commands += 1
                assert run(words[1:]) == 0, (line, capsys.readouterr().err)
    assert commands > 15
    out = capsys.readouterr().out
    assert "10,000 deals in 4 parts" in out
    drawn = "┌", "> {"  # a figure, and what programs say to each other
    texts = [text for language, text in blocks() if language == "text"]
    shown = [text for text in texts if not any(mark in text for mark in drawn)]
    printed = "\n".join(line.rstrip() for line in out.splitlines())
    assert len(shown) > 10
    for text in shown:
        assert text.strip() in printed, "what the README shows is old"


def test_the_four_ways_to_ask_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snippets print; here their numbers are compared."""
    import analyses
    from simcore import simulate

    monkeypatch.chdir(tmp_path)
    simulate("douque", "random,lowest,dump,highest", 2000, seed=1, out="results/first")
    tidy = analyses.load("results/first")
    starts = tidy[tidy["seat_from_starter"] == 0].groupby("strategy", observed=True)
    expected = pytest.approx(starts["payoff"].mean().to_dict())
    printed: list[object] = []
    scope: dict[str, object] = {"print": printed.append}
    for language, text in blocks():
        if language == "python" and "results/first" in text:
            exec(compile(text, "a page", "exec"), scope)
    _, pandas_way, polars_way, duckdb_way = printed
    assert pandas_way.to_dict() == expected  # type: ignore[attr-defined]
    assert dict(polars_way.iter_rows()) == expected  # type: ignore[attr-defined]
    assert dict(duckdb_way.fetchall()) == expected  # type: ignore[attr-defined]
