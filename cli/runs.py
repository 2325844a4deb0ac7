"""`bigtwo runs list | show | verify | combine | export`."""

from pathlib import Path
from typing import Annotated

import typer

from cli.options import Json, Trust, count
from cli.output import counted, note, out, print_json, table
from cli.summary import described_call, print_summary, summary_records

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
        if not (path / "run.json").exists():
            continue
        try:
            store = Store.open(path)
            deals = sum(end - first for first, end in store.ranges())
            gaps = store.gaps()
        except RunError as error:
            note(str(error))
            continue
        if gaps:
            gone = sum(end - first for first, end in gaps)
            note(f"{path}: the parts of {gone:,} deals are gone; its command plays them anew")
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
                "deals": deals,
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
def show(
    run: Folder,
    check: Annotated[
        bool, typer.Option("--check", help="Add up the rows first, and compare with the sums.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show a run: its results, what was played, where and by which commands."""
    from simcore.runs.reading import read_run

    reader = read_run(run)
    if check:
        from simcore.runs.verify import check_sums

        rows = check_sums(reader)
        note(f"the rows of {rows:,} playouts come to the sums below")
    document, who, summary = reader.document, reader.identity, reader.summary
    if as_json:
        print_json({**document, **summary_records(summary)})
        return
    print_summary(summary, who["rules"]["name"], who["seed"], who["seatings"])
    about = table("id", document["id"])
    about.add_row("lineup", ",".join(reader.lineup))
    about.add_row("software", ", ".join(f"{k} {v}" for k, v in document["software"].items()))
    about.add_row("machine", ", ".join(str(v) for v in document["machine"].values()))
    for call in document["calls"]:
        about.add_row(*described_call(call))
    out.print()
    out.print(about)


@app.command("verify")
def verify(
    run: Folder,
    sample: Annotated[
        int, typer.Option(help="How many deals to play again.", parser=count())
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Which deals: another seed, another sample.")] = 0,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Check every checksum and sum, play a sample of deals again, and compare every column."""
    from simcore.runs.verify import verify

    found = verify(run, sample, seed, trust)
    if as_json:
        print_json(found.as_dict())
        return
    said = [
        f"run {found.run}: {counted(found.parts, 'part')} whole, {counted(found.deals, 'deal')}"
    ]
    if found.playouts_added:
        said.append(f"the rows of {found.playouts_added:,} playouts come to the sums stated")
    if found.not_played:
        said.append(
            f"not played again, since that would execute {', '.join(found.not_played)}: look at "
            "that code, then give --trust"
        )
    else:
        said.append(
            f"{found.playouts_compared:,} playouts of {found.deals_compared:,} deals played again, "
            "every column the same"
        )
    if found.turn_parts:
        said.append(
            f"{counted(found.turn_parts, 'part')} of turns whole, "
            f"{found.turns_compared:,} turns the same"
        )
    out.print("; ".join(said), highlight=False, markup=False)


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
        out.print(
            f"{counted(deals, 'deal')} in {counted(parts, 'part')} in {out_folder}", highlight=False
        )


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
