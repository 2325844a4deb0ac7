"""`bigtwo runs list | show | verify | combine | export`."""

from pathlib import Path
from typing import Annotated

import typer

from cli.options import Json
from cli.output import note, out, print_json, table
from cli.summary import print_summary, summary_records

app = typer.Typer(help="Runs on disk: list, show, verify, combine, export.", no_args_is_help=True)
Folder = Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, or its URL.")]


@app.command("list")
def list_runs(
    folder: Annotated[Path, typer.Argument(help="Where the runs are.")] = Path("results"),
    as_json: Json = False,
) -> None:
    """List the runs in a folder."""
    from simcore.errors import RunError
    from simcore.runs.store import Store

    if not folder.is_dir():
        raise RunError(
            f"folder {str(folder)!r} does not exist; give the folder that holds the runs"
        )
    found = []
    for path in sorted(folder.iterdir()):
        if not (path / "run.json").is_file():
            continue
        try:
            store = Store.open(path)
        except RunError as error:
            note(str(error))
            continue
        who = store.document["identity"]
        found.append(
            {
                "folder": str(path),
                "id": store.id,
                "rules": who["rules"]["name"],
                "lineup": [entrant["name"] for entrant in who["lineup"]],
                "seed": who["seed"],
                "seatings": who["seatings"],
                "keeps": store.keeps,
                "deals": store.document.get("deals", 0),
            }
        )
    if as_json:
        print_json({"runs": found})
        return
    rows = table("folder", ">id", "rules", "lineup", ">seed", "seatings", "keeps", ">deals")
    for run in found:
        lineup = ",".join(run["lineup"])
        rows.add_row(
            run["folder"], run["id"], run["rules"], lineup, str(run["seed"]), run["seatings"],
            run["keeps"], f"{run['deals']:,}",
        )  # fmt: skip
    out.print(rows)


@app.command("show")
def show(run: Folder, as_json: Json = False) -> None:
    """Show a run: its results, what was played, where and by which commands."""
    from analyses import run_summary
    from simcore.runs.store import Store

    store = Store.open(run)
    summary = run_summary(run)
    if as_json:
        print_json({**store.document, **summary_records(summary)})
        return
    who = store.document["identity"]
    print_summary(summary, who["rules"]["name"], who["seed"], who["seatings"])
    about = table("", "")
    about.add_row("id", store.id)
    about.add_row("lineup", ",".join(entrant["name"] for entrant in who["lineup"]))
    about.add_row("software", ", ".join(f"{k} {v}" for k, v in store.document["software"].items()))
    about.add_row("machine", ", ".join(str(v) for v in store.document["machine"].values()))
    for call in store.document["calls"]:
        about.add_row(
            call["ended"],
            f"{' '.join(call['command'])} ({call['playouts']:,} playouts in {call['seconds']} s)",
        )
    out.print()
    out.print(about)


@app.command("verify")
def verify(
    run: Folder,
    sample: Annotated[int, typer.Option(help="How many deals to play again.")] = 1000,
    seed: Annotated[int, typer.Option(help="Which deals: another seed, another sample.")] = 0,
    as_json: Json = False,
) -> None:
    """Check every file's checksum, play a sample of deals again, and compare every column."""
    from simcore.runs.verify import verify

    found = verify(run, sample, seed)
    if as_json:
        print_json(found.as_dict())
    else:
        out.print(
            f"run {found.run}: {found.parts} parts whole, {found.deals:,} deals; "
            f"{found.playouts_compared:,} playouts of {found.deals_compared:,} deals played again, "
            "every column the same",
            highlight=False,
        )


@app.command("combine")
def combine(
    runs: Annotated[list[str], typer.Argument(metavar="RUN…", help="Folders of one run.")],
    out_folder: Annotated[str, typer.Option("--out", help="Folder for the whole run.")],
    as_json: Json = False,
) -> None:
    """Merge disjoint deal ranges of one run, played on several machines (see --first-deal)."""
    from simcore.runs.combine import combine

    parts, deals = combine(runs, out_folder)
    if as_json:
        print_json({"folder": out_folder, "parts": parts, "deals": deals})
    else:
        out.print(f"{deals:,} deals in {parts} parts in {out_folder}", highlight=False)


@app.command("export")
def export(
    run: Folder,
    to: Annotated[str, typer.Option(help="csv, parquet or duckdb.")],
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Default: RUN.csv and so on.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a run's playouts into one file for other programs."""
    from simcore.runs.export import export

    target = export(run, to, out_file)
    if as_json:
        print_json({"file": str(target), "bytes": target.stat().st_size})
    else:
        out.print(f"{target} ({target.stat().st_size:,} bytes)", highlight=False)
