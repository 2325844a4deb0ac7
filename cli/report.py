"""`bigtwo report`: what runs say, as one file to read, print and pass on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import Json, Runs, check_runs, count
from cli.output import check_place, err, out, print_json
from cli.playing import dealt

if TYPE_CHECKING:
    from simcore.runs.reading import RunReader


def report(
    runs: Runs,
    out_file: Annotated[
        Path | None, typer.Option("--out", "-o", help="Default: report.html or report.md.")
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="html (one self-contained page) or md. Default: as --out.")
    ] = None,
    deals: Annotated[
        int,
        typer.Option(
            help="Deals whose dealt hands are looked at; 0 leaves that out.", parser=count()
        ),
    ] = 5_000,
    title: Annotated[str, typer.Option(help="Default: strategies and rules.")] = "",
    author: Annotated[str, typer.Option(help="Who wrote it.")] = "",
    date: Annotated[str, typer.Option(help="When, as it is to be read.")] = "",
    note: Annotated[str, typer.Option(help="What the author says about it, at the top.")] = "",
    as_json: Json = False,
) -> None:
    """Write a report on one or more runs: sentences, plots, tables, how to reproduce them.

    A folder of a comparison stands for all runs in it. An existing file of that name is replaced.
    """
    from analyses.report import FORMATS, check_extra, report
    from simcore.errors import InputError
    from simcore.runs.reading import read_run, runs_in
    from simcore.runs.storage import write_file
    from simcore.runs.verify import check_sums

    check_runs(runs)
    if deals < 0:
        raise InputError(f"{deals} deals are out of bounds: at least 0")
    suffix = out_file.suffix.lstrip(".") if out_file else ""
    to = to or (suffix if suffix in FORMATS else "html")
    target = out_file or Path(f"report.{to}")
    check_place(target)
    if to in FORMATS:
        check_extra(to)  # before anything is read or compiled
    places = runs_in(runs)
    with err.status("reading …") as status:
        found = [read_run(run) for run in places]
        for reader in found:
            check_sums(reader)  # what a report prints, its reader cannot check
    hands = {
        reader.place: dealt(reader, deals) for reader in found if deals and reader.keeps_playouts
    }
    with err.status("reading …") as status:
        text = report(
            found, to, hands, lambda what: status.update(f"{what} …"), _about(found), title,
            ", ".join(filter(None, (author, date))), note,
        )  # fmt: skip
    write_file(target, text.encode())
    size = target.stat().st_size
    if as_json:
        print_json({"file": str(target), "format": to, "bytes": size, "runs": places})
    else:
        out.print(f"{target} ({size:,} bytes)", highlight=False)


def _about(runs: "list[RunReader]") -> dict[str, str]:
    """A sentence on each of the laboratory's strategies in the lineups, by its name there."""
    from simcore.runs.run import strategy_of
    from simcore.strategies.registry import BUILT_IN, load_strategy

    found = {}
    for entrant in (each for run in runs for each in run.identity["lineup"]):
        name, strategy = entrant["name"], strategy_of(entrant["name"])
        if strategy in BUILT_IN:
            says = " ".join(load_strategy(strategy).doc.split("\n\n")[0].split())
            noise = entrant.get("noise")
            found[name] = (
                f"At random at {noise:.0%} of its turns, else {strategy}: " if noise else ""
            )
            found[name] += says
    return found
