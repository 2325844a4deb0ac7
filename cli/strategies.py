"""`bigtwo strategies list | show`."""

from typing import Annotated

import typer

from cli.ask import Json
from cli.output import out, print_json, table

app = typer.Typer(help="Strategies: list them, show one's definition.", no_args_is_help=True)


@app.command("list")
def list_strategies(as_json: Json = False) -> None:
    """List the strategies that a lineup can name."""
    from simcore.strategies.registry import load_strategy, strategy_names

    found = [load_strategy(name) for name in strategy_names()]
    if as_json:
        print_json(
            {"strategies": [{"name": s.name, "parameters": dict(s.defaults)} for s in found]}
        )
        return
    rows = table("name", "what it does")
    for strategy in found:
        rows.add_row(strategy.name, strategy.doc.splitlines()[0] if strategy.doc else "")
    out.print(rows)


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="A name, file.py:attribute or module:attribute.")],
    as_json: Json = False,
) -> None:
    """Show a strategy's exact definition and its parameters."""
    from simcore.strategies.registry import load_strategy

    strategy = load_strategy(name)
    if as_json:
        print_json(
            {
                "name": strategy.name,
                "definition": strategy.doc,
                "parameters": dict(strategy.defaults),
                "source": strategy.source_hash,
            }
        )
        return
    out.print(strategy.name, style="bold", highlight=False)
    for paragraph in strategy.doc.split("\n\n"):
        out.print(" ".join(paragraph.split()), highlight=False, markup=False)
    for key, value in strategy.defaults:
        out.print(f"parameter {key}, default {value:g}", highlight=False)
