"""Generated parts of the documentation: what `{{ name }}`, alone on a line, stands for.

Each comes from the one table of its facts: fields of RuleSet, simcore/columns.py, parameters of
strategies, typer's commands, the docstrings' modules.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def on_page_markdown(markdown: str, **given: Any) -> str:
    """Called by mkdocs for the text of every page."""
    return re.sub(r"^\{\{ (\w+) \}\}$", lambda found: PARTS[found[1]](), markdown, flags=re.M)


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _table(heading: list[str], rows: list[list[object]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def rule_keys() -> str:
    """Every key of a rule file."""
    from simcore.game.ruleset import KEYS

    rows: list[list[object]] = []
    for key in KEYS.values():
        values = key.form.words
        if key.form.known:
            values += "; " + "; ".join(f"`{word}`: {says}" for word, says in key.form.known.items())
        missing = "must be given" if key.neutral is None else f"`{_toml(key.neutral)}`"
        rows.append([f"`{key.name}`", key.words, values, missing])
    return _table(["key", "meaning", "a value is", "where it is missing"], rows)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def rule_sets() -> str:
    """The rule sets that ship."""
    from simcore.game.ruleset import load_rules, rule_set_names

    found = [load_rules(name) for name in rule_set_names()]
    rows: list[list[object]] = [
        [f"`{r.name}`", r.title, " or ".join(map(str, r.players))] for r in found
    ]
    return _table(["name", "rules", "players"], rows)


def columns() -> str:
    """The columns of a run, without the heading of their page."""
    from simcore.runs.schema import markdown

    return markdown().partition("\n")[2].replace("This page is generated", "That page is generated")


def strategies() -> str:
    """Definition and parameters of every strategy that ships."""
    from simcore.strategies.registry import BUILT_IN, NOISY, load_strategy

    parts = []
    for name in (*BUILT_IN, NOISY):
        strategy = load_strategy(name)
        parts += [f"## {name}", strategy.doc]
        if strategy.parameters:
            rows: list[list[object]] = [
                [f"`{p.name}`", p.about, f"`{p.write(p.default)}`", ", ".join(p.words) or p.bounds]
                for p in strategy.parameters
            ]
            parts.append(_table(["parameter", "meaning", "default", "values"], rows))
    return "\n\n".join(parts)


def commands() -> str:
    """Every command with its options."""
    import typer.main

    from cli.main import app

    return "\n\n".join(_of_command(typer.main.get_command(app), "bigtwo"))


def _of_command(command: Any, name: str) -> Iterator[str]:
    inner = getattr(command, "commands", None)
    if inner:
        for word, each in inner.items():
            yield from _of_command(each, f"{name} {word}")
        return
    yield f"## {name}"
    yield (command.help or "").replace("\b\n", "")
    rows: list[list[object]] = []
    for given in command.params:
        if given.param_type_name == "argument":
            rows.append([f"`{given.metavar or given.name}`", given.help or "", ""])
            continue
        names = ", ".join(f"`{option}`" for option in (*given.opts, *given.secondary_opts))
        default = given.default
        shown = "" if default in (None, False, ()) or callable(default) else f"`{default}`"
        rows.append([names, given.help or "", shown])
    if rows:
        yield _table(["argument or option", "meaning", "default"], rows)


def record_fields() -> str:
    """The fields of a record of play."""
    from simcore.records import format

    return format.markdown()


def api() -> str:
    """The public names of the library, for mkdocstrings."""
    import simcore

    return _documented(simcore)


def analyses_api() -> str:
    """The analyses."""
    import analyses

    return _documented(analyses)


def _documented(module: Any) -> str:
    objects = (getattr(module, n) for n in module.__all__ if n != "analyses")  # a page of its own
    return "\n\n".join(f"::: {found.__module__}.{found.__qualname__}" for found in objects)


def contributing() -> str:
    """CONTRIBUTING.md, under the heading of its page."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n")[2]
    return text.replace("README.md and docs/ are for users.", "The other pages are for users.")


def methods() -> str:
    """What stands behind the figures of a report."""
    from analyses.report.sections import METHODS

    return "\n\n".join(f"**{name}.** {text}" for name, text in METHODS)


PARTS: dict[str, Callable[[], str]] = {
    found.__name__: found
    for found in (
        *(rule_keys, rule_sets, columns, strategies, commands, record_fields, api, analyses_api),
        *(contributing, methods),
    )
}
