"""`bigtwo strategies list | show | new | check`."""

import keyword
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import Json
from cli.output import err, note, out, print_json, table

if TYPE_CHECKING:
    from simcore.simulation.conformance import Report

app = typer.Typer(
    help="Strategies: list them, show one's definition, begin and check your own.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(help="A name, file.py:attribute or module:attribute.")]


@app.command("list")
def list_strategies(as_json: Json = False) -> None:
    """List the strategies that a lineup can name."""
    from simcore.errors import BigTwoError
    from simcore.strategies.registry import load_strategy, strategy_names

    rows = table("name", "what it does")
    records: list[dict[str, Any]] = []
    for name in strategy_names():
        try:
            strategy = load_strategy(name)
        except BigTwoError as error:  # of a package: the others can still be played
            note(f"{name} is installed, but cannot be played: {error}")
            continue
        rows.add_row(name, strategy.doc.splitlines()[0] if strategy.doc else "")
        records.append({"name": name, "parameters": dict(strategy.defaults)})
    if as_json:
        print_json({"strategies": records})
    else:
        out.print(rows)


@app.command("show")
def show(name: Name, as_json: Json = False) -> None:
    """Show a strategy's exact definition and its parameters."""
    from simcore.strategies.registry import load_strategy

    strategy = load_strategy(name)
    if as_json:
        print_json(
            {
                "name": strategy.name,
                "definition": strategy.doc,
                "parameters": dict(strategy.defaults),
                "meanings": {p.name: p.about for p in strategy.parameters},
                "bounds": {p.name: p.bounds for p in strategy.parameters if p.bounds},
                "words": {p.name: p.words for p in strategy.parameters if p.words},
                "version": strategy.version,
                "source": strategy.source_hash,
            }
        )
        return
    out.print(strategy.name, style="bold", highlight=False)
    for paragraph in strategy.doc.split("\n\n"):
        out.print(" ".join(paragraph.split()), highlight=False, markup=False)
    for p in strategy.parameters:
        takes = ", ".join(p.words) or p.bounds
        text = f"parameter {p.name}, default {p.write(p.default)}"
        text += (f" ({takes})" if takes else "") + (f": {p.about}" if p.about else "")
        out.print(text, highlight=False, markup=False)


@app.command("new")
def new(
    file: Annotated[Path, typer.Argument(help="The file to write, as in my_bot.py.")],
    plain: Annotated[
        bool, typer.Option("--plain", help="In plain Python: slower, and free in what it uses.")
    ] = False,
) -> None:
    """Write a small strategy that works, with comments, to begin from."""
    from cli.new_strategy import COMPILED, PLAIN
    from simcore.errors import InputError

    name = file.stem
    if file.suffix != ".py" or not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(
            f"{str(file)!r} cannot hold a strategy of its name: give a Python name and .py, as in "
            "my_bot.py"
        )
    text = (PLAIN if plain else COMPILED).format(name=name, file=file)
    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise InputError(f"{str(file)!r} exists already; give another name") from None
    except OSError as error:
        raise InputError(
            f"{str(file)!r} cannot be written ({error.strerror}); give another place"
        ) from None
    note(f"next: bigtwo strategies check {file}:{name}")


@app.command("check")
def check(
    name: Name,
    rules: Annotated[
        list[str] | None, typer.Option(help="Only this rule set; may be given again.")
    ] = None,
    decision_limit: Annotated[
        str, typer.Option(help="Time for one decision until it counts as never returning.")
    ] = "10s",
    as_json: Json = False,
) -> None:
    """Try whether a strategy keeps to the rules of the laboratory, in every rule set.

    Exit status 1 if it does not; the deal to look at is named.
    """
    from simcore.runs.stopping import parse_time
    from simcore.simulation.conformance import CHECKS, check_strategy

    with err.status(f"checking {name} …") as status:
        report = check_strategy(
            name,
            rules or (),
            limit=parse_time(decision_limit),
            progress=lambda place: status.update(f"checking {name} … {place}"),
        )
    if as_json:
        print_json(_as_json(report))
    else:
        rows = table("check", "", "what it means")
        for finding in report.findings.values():
            mark = "ok" if finding.passed else "FAILED"
            rows.add_row(finding.check, mark, CHECKS[finding.check])
        out.print(rows)
        for finding in report.findings.values():
            if not finding.passed:
                out.print()
                out.print(f"{finding.check}: {finding.what}", highlight=False)
                out.print(f"  {finding.look}" if finding.look else "", highlight=False)
        _print_cost(report)
    if not report.passed:
        raise typer.Exit(1)


def _print_cost(report: "Report") -> None:
    """What was tried, and how long the decisions took."""
    out.print()
    out.print(
        f"{report.tables} tables, {report.deals} deals, {report.decisions:,} decisions timed: "
        f"{1e6 * report.seconds / max(1, report.decisions):,.1f} µs each, the engine's share "
        f"included; the longest took {1e3 * report.longest:,.1f} ms",
        highlight=False,
    )


def _as_json(report: "Report") -> dict[str, Any]:
    decisions = report.decisions
    return {
        "strategy": report.strategy,
        "passed": report.passed,
        "checks": [
            {"check": f.check, "passed": f.passed, "what": f.what, "look": f.look}
            for f in report.findings.values()
        ],
        "tables": report.tables,
        "deals": report.deals,
        "decisions": decisions,
        "microseconds": 1e6 * report.seconds / decisions if decisions else None,
    }
