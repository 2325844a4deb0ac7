"""Running `bigtwo` in this process or as a script, for the tests of the command line."""

import io
import json
import os
import pickle
import re
import select
import shlex
import subprocess
import sysconfig
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cli.main import run

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "bigtwo")
PATIENCE = 600  # seconds until a process counts as hung, on a machine that is busy and compiles
FOUR = "random,lowest,dump,highest"
LOSERS = "--left 4c --left 5c --left 6c"
SIM = f"simulate --lineup {FOUR} --deals 20"
BOT = '''
from simcore import strategy

@strategy(hold=0.0, spare=1.5)
def my_bot(view, plays, n_plays, params, rng):
    """Play the last of the list, a pass if there is one, when told to hold."""
    if params[0] > 0.5:
        return n_plays - 1
    return 0
'''

# A strategy in plain Python, which nobody in this process can look at, writes what it is asked.
SPY = """
import pickle
from dataclasses import replace
from pathlib import Path

def spy(position):
    with open(Path(__file__).with_name("asked"), "ab") as file:
        pickle.dump(replace(position, rng=None), file)
    return position.plays[(position.turn * 7 + 3) % len(position.plays)]
"""


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    status: int
    out: str
    err: str


def call(*arguments: object) -> Result:
    """Run one command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run([str(argument) for argument in arguments])
    return Result(status, out.getvalue(), err.getvalue())


def line(text: str, **places: object) -> Result:
    """Run a command line; {name} stands for one of the places."""
    return call(*(word.format(**places) for word in shlex.split(text)))


def data(text: str, **places: object) -> Any:
    """The JSON that a command prints: one document, alone on one line of stdout."""
    result = line(f"{text} --json", **places)
    assert result.status == 0, result.err
    assert result.out.endswith("\n") and result.out.count("\n") == 1
    return json.loads(result.out)


def refuse(result: Result, *fragments: str) -> None:
    """Bad input: exit status 2, nothing on stdout, one sentence on stderr with these fragments."""
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("bigtwo: ") and result.err.endswith("\n")
    assert result.err.count("\n") == 1
    assert "Traceback" not in result.err
    for fragment in fragments:
        assert fragment in result.err


def script(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a process of its own."""
    return subprocess.run(
        [SCRIPT, *(str(argument) for argument in arguments)],
        capture_output=True, text=True, timeout=PATIENCE, check=False, **options,
    )  # fmt: skip


def stored(folder: object) -> pd.DataFrame:
    """All playouts of a run's folder, in one order whatever the parts."""
    frame = pd.read_parquet(Path(str(folder)) / "playouts")
    return frame.sort_values(["deal", "seating"], ignore_index=True)


def parts(folder: Path) -> dict[str, bytes]:
    """Every file of playouts with its content."""
    return {path.name: path.read_bytes() for path in (folder / "playouts").iterdir()}


def read_until(terminal: int, pattern: str | None) -> str:
    """What a process writes to its terminal, up to a pattern or the end."""
    seen = ""
    while pattern is None or not re.search(pattern, seen):
        ready, _, _ = select.select([terminal], [], [], PATIENCE)
        try:
            found = os.read(terminal, 65536) if ready else b""
        except OSError:  # the other side is closed
            found = b""
        if not found:
            assert pattern is None, f"{pattern!r} did not come: {seen[-300:]!r}"
            break
        seen += found.decode("utf-8", "replace")
    return seen


def spied(strategy: str) -> list[Any]:
    """The positions that `spy` of a file was asked about since this was called last."""
    asked = Path(strategy.rpartition(":")[0]).with_name("asked")
    found = []
    if asked.exists():
        with asked.open("rb") as file, suppress(EOFError):
            while True:
                found.append(pickle.load(file))
        asked.unlink()
    return found
