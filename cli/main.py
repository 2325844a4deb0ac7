"""The `bigtwo` command: its subcommands, and how errors leave it."""

import io
import re
import sys
import warnings
from itertools import pairwise
from typing import Any

import typer

from cli import (
    analyse,
    ask,
    audit,
    bench,
    compare,
    compare_rules,
    decide,
    evaluate,
    rate,
    records,
    replay,
    report,
    review,
    rules,
    runs,
    sheet,
    simulate,
    strategies,
    train,
    tune,
)
from cli.output import err, note

app = typer.Typer(
    name="bigtwo",
    help="A laboratory for Big Two: exact rules, millions of playouts a minute, answers with "
    "error bars.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("simulate")(simulate.simulate)
app.command("compare")(compare.compare)
app.command("compare-rules")(compare_rules.compare_rules)
app.command("rate")(rate.rate)
app.command("plays")(ask.plays)
app.command("classify")(ask.classify)
app.command("beats")(ask.beats)
app.command("payoff")(ask.payoff)
app.command("decide")(decide.decide)
app.command("evaluate")(evaluate.evaluate)
app.command("replay")(replay.replay)
app.add_typer(runs.app, name="runs")
app.add_typer(records.app, name="records")
app.add_typer(analyse.app, name="analyse")
app.command("audit")(audit.audit)
app.command("report")(report.report)
app.command("review")(review.review)
app.command("sheet")(sheet.sheet)
app.add_typer(rules.app, name="rules")
app.add_typer(strategies.app, name="strategies")
app.command("tune")(tune.tune)
app.command("train")(train.train)
app.command("bench")(bench.bench)


def _fail(message: str) -> int:
    """One sentence on stderr; exit status 2."""
    sentence = " ".join(message.split())
    err.print(f"bigtwo: {sentence}", style="red", markup=False, highlight=False, soft_wrap=True)
    return 2


def _value_given(message: str, arguments: list[str]) -> str:
    """The value of the option that a message names, as it was given."""
    match = re.search(r"'(--[\w-]+)'", message)
    if match is None:
        return ""
    for option, value in pairwise([*arguments, ""]):
        if option == match[1] and value:
            return f" (given: {value!r})"
        if option.startswith(f"{match[1]}="):
            return f" (given: {option.partition('=')[2]!r})"
    return ""


def run(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    from simcore.errors import BigTwoError

    try:
        status: Any = app(args=arguments, standalone_mode=False)
    except BigTwoError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone, as in `bigtwo … | head`
        return 0
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()
        if message.startswith("Usage:") or not message:  # no command given: that is its help
            err.print(message, markup=False, highlight=False)
            return 2
        message = re.sub(r"Input should be a valid integer[^;]*", "give a whole number", message)
        message = re.sub(r"Input should be a valid number[^;]*", "give a number", message)
        given = sys.argv[1:] if arguments is None else arguments
        return _fail(f"{message.rstrip('.')}{_value_given(message, given)}; see bigtwo --help")
    return status if isinstance(status, int) else 0


def main() -> None:
    """Entry point of the `bigtwo` script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ♠ shows a ?
    warnings.showwarning = lambda message, *where, **more: note(str(message))
    sys.exit(run())


if __name__ == "__main__":
    main()
