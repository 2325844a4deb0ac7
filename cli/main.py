"""The `bigtwo` command: its subcommands, and how errors leave it."""

import io
import os
import re
import sys
import warnings
from contextlib import suppress
from itertools import pairwise
from typing import Annotated, Any

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
from cli.examples import examples_of, group_of, one_of_each
from cli.output import err, note

HELP = {"help_option_names": ["-h", "--help"]}


def _version(asked: bool) -> None:
    """Print the versions and stop."""
    if asked:
        from simcore import ENGINE_VERSION, __version__

        print(f"bigtwo {__version__} (engine {ENGINE_VERSION})")
        raise typer.Exit


app = typer.Typer(
    name="bigtwo", no_args_is_help=True, context_settings=HELP, pretty_exceptions_enable=False,
    rich_markup_mode="markdown", epilog=one_of_each(),
)  # fmt: skip


@app.callback()
def laboratory(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A laboratory for Big Two: exact rules, millions of playouts a minute, answers with error
    bars. `bigtwo COMMAND -h` shows a command's options and two examples.
    """


COMMANDS: dict[str, Any] = {
    "simulate": simulate.simulate,
    "compare": compare.compare,
    "compare-rules": compare_rules.compare_rules,
    "rate": rate.rate,
    "plays": ask.plays,
    "classify": ask.classify,
    "beats": ask.beats,
    "payoff": ask.payoff,
    "decide": decide.decide,
    "evaluate": evaluate.evaluate,
    "replay": replay.replay,
    "runs": runs.app,
    "analyse": analyse.app,
    "report": report.report,
    "records": records.app,
    "review": review.review,
    "sheet": sheet.sheet,
    "audit": audit.audit,
    "rules": rules.app,
    "strategies": strategies.app,
    "tune": tune.tune,
    "train": train.train,
    "bench": bench.bench,
}
for _name, _command in COMMANDS.items():
    if isinstance(_command, typer.Typer):
        for _inner in _command.registered_commands:
            _inner.epilog = examples_of(f"{_name} {_inner.name}")
        app.add_typer(_command, name=_name, rich_help_panel=group_of(_name), context_settings=HELP)
    else:
        app.command(_name, rich_help_panel=group_of(_name), epilog=examples_of(_name))(_command)


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


def _command_of(arguments: list[str]) -> str:
    """The command that some arguments name, as far as there is one: bigtwo runs show."""
    names, place = ["bigtwo"], COMMANDS
    for word in arguments[:2]:
        if word not in place:
            break
        names.append(word)
        inner = place[word]
        here = inner.registered_commands if isinstance(inner, typer.Typer) else []
        place = {str(each.name): each for each in here}
    return " ".join(names)


def run(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    from simcore.errors import BigTwoError

    try:
        status: Any = app(args=arguments, prog_name="bigtwo", standalone_mode=False)
    except BigTwoError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _reader_has_gone()
        return 0
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # how typer and rich take it
            _reader_has_gone()
            return 0
        raise
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message()
        if not message:  # no command was given, and its help is shown
            return 2
        message = re.sub(r"Input should be a valid integer[^;]*", "give a whole number", message)
        message = re.sub(r"Input should be a valid number[^;]*", "give a number", message)
        given = sys.argv[1:] if arguments is None else arguments
        see = f"see {_command_of(given)} --help"
        return _fail(f"{message.rstrip('.')}{_value_given(message, given)}; {see}")
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _reader_has_gone()
    return status if isinstance(status, int) else 0


def _reader_has_gone() -> None:
    """As in `bigtwo … | head`: what is still buffered goes nowhere, without a word."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Entry point of the `bigtwo` script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ♠ shows a ?
    warnings.showwarning = lambda message, *where, **more: note(str(message))
    sys.exit(run())


if __name__ == "__main__":
    main()
