"""`bigtwo rules list | show | check | keys | schema | diff`."""

from dataclasses import asdict
from typing import Annotated

import typer

from cli.options import Json
from cli.output import out, print_json, table

app = typer.Typer(help="Rule sets: list, show, check, compare, explain.", no_args_is_help=True)
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
        bool,
        typer.Option(
            "--file", help="Print the TOML file with its comments; a whole one for changed keys."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show every rule of a rule set."""
    from simcore.game.rule_help import as_toml
    from simcore.game.ruleset import is_changed, load_rules, rule_file

    rules = load_rules(name)
    if file:
        text = as_toml(rules) if is_changed(name) else rule_file(name)[1]
        out.print(text, markup=False, highlight=False, end="", soft_wrap=True)
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


@app.command("keys")
def list_keys(
    key: Annotated[
        str | None, typer.Argument(metavar="KEY", help="A key, or the beginning of several.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain every key of a rule file: values, default, an example, who uses it."""
    from simcore.errors import InputError, cut, nearest
    from simcore.game.rule_help import keys, toml

    known = keys()
    pages = [page for page in known if page.key.startswith(key or "")]
    if not pages:
        near = nearest(str(key), [page.key for page in known])
        raise InputError(f"unknown key '{cut(str(key))}'; {near}")
    if as_json:
        print_json({"keys": [asdict(page) for page in pages]})
        return
    for page in pages:
        default = "must be given" if page.default is None else f"default {toml(page.default)}"
        users = ", ".join(page.used_by) or "no rule set that ships"
        lines = [page.key, f"  {page.words}", f"  values:  {page.values}; {default}"]
        lines += [f"           {word}: {meaning}" for word, meaning in page.meanings.items()]
        lines += [f"  example: {page.example}", f"  used by: {users}", ""]
        out.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


@app.command("schema")
def print_schema() -> None:
    """Print a JSON Schema of rule files, by which editors complete and check them."""
    from simcore.game.rule_help import schema

    print_json(schema())


@app.command("diff")
def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A rule set, as in `rules show`.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other one.")],
    as_json: Json = False,
) -> None:
    """Say how two rule sets differ, a sentence for each key."""
    from simcore.game.rule_help import diff

    found = diff(a, b)
    if as_json:
        print_json({"differences": [asdict(one) for one in found]})
        return
    for one in found:
        out.print(str(one), markup=False, highlight=False, soft_wrap=True)
    if not found:
        out.print(f"{a} and {b} have the same rules.", markup=False, highlight=False)
