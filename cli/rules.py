"""`bigtwo rules list | show | check`."""

from typing import Annotated

import typer

from cli.options import Json
from cli.output import out, print_json, table

app = typer.Typer(help="Rule sets: list them, show one, check a file.", no_args_is_help=True)
Name = Annotated[
    str, typer.Argument(metavar="RULES", help="A name, a .toml file, or name:key=value.")
]


@app.command("list")
def list_rules(as_json: Json = False) -> None:
    """List the rule sets that ship with bigtwo."""
    from simcore.game.ruleset import load_rules, rule_set_names

    found = [load_rules(name) for name in rule_set_names()]
    if as_json:
        print_json(
            {"rules": [{"name": r.name, "title": r.title, "players": r.players} for r in found]}
        )
        return
    rows = table("name", "players", "character")
    for rules in found:
        rows.add_row(rules.name, ", ".join(str(n) for n in rules.players), rules.title)
    out.print(rows)


@app.command("show")
def show(
    name: Name,
    file: Annotated[
        bool, typer.Option("--file", help="Print the TOML file with its comments.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show every rule of a rule set."""
    from simcore.game.ruleset import load_rules, rule_file

    rules = load_rules(name)
    if file:
        out.print(rule_file(name)[1], markup=False, highlight=False, end="", soft_wrap=True)
    elif as_json:
        print_json(rules.as_dict())
    else:
        rows = table("rule", "value")
        for key, value in rules.in_words().items():
            rows.add_row(key, value)
        out.print(rows)


@app.command("check")
def check(name: Name, as_json: Json = False) -> None:
    """Check a rule file and say what is wrong with it."""
    from simcore.game.ruleset import load_rules

    rules = load_rules(name)
    if as_json:
        print_json({"ok": True, "name": rules.name})
    else:
        out.print(f"{name}: correct, rule set {rules.name!r}", highlight=False)
