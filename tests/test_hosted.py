"""Whatever a user's strategy does where it is loaded or asked, here it is a sentence."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import simcore
from simcore.errors import StrategyError
from simcore.strategies import host
from simcore.strategies.registry import load_strategy
from tests.command import BOT, call, script
from tests.test_plain import BOTS as OTHERS

BOTS = (
    OTHERS
    + """
import ctypes
import signal
import time

class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")

def exits(position):
    os._exit(0)

def killed(position):
    os.kill(os.getpid(), signal.SIGKILL)

def crashes(position):
    ctypes.string_at(0)

def mute(position):
    raise Mute

def interrupts(position):
    raise KeyboardInterrupt

def babbles(position):
    for number in range(3, 20):
        try:
            os.write(number, b"garbage " * 5)
        except OSError:
            pass
    return position.plays[0]

def closes(position):
    os.closerange(3, 20)
    return position.plays[0]

def endless(position):
    return endless(position)

class born_dead:
    def __init__(self):
        os._exit(5)
    choose = None.__class__

class never_born:
    def __init__(self):
        while True:
            pass
    def choose(self, position):
        return position.plays[0]

def wanders(position):
    os.chdir("/")
    sys.path.clear()
    os.environ.clear()
    sys.stdout.close()
    try:
        input()
    except EOFError:
        return position.plays[0]

def waits(position):
    time.sleep(3600)
"""
)


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("hosted") / "bots.py"
    path.write_text(BOTS, "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("exits", r"ended its process \(exit status 0\)"),
        ("killed", "crashed: its process was killed by SIGKILL"),
        ("crashes", "crashed: its process was killed by SIGSEGV"),
        ("mute", r"raised Mute: \(its __str__ raises\)"),
        ("interrupts", "raised KeyboardInterrupt in deal"),
        ("babbles", "wrote into the pipe that its answers come through"),
        ("closes", "ended its process|closed the pipe"),
        ("endless", "raised RecursionError: maximum recursion"),
        ("born_dead", r"ended its process \(exit status 5\)"),
    ],
)
def test_the_end_of_a_strategy_is_a_sentence(bot: str, words: str, bots: str) -> None:
    """With strategy, deal and turn, at its first question; the next command is not concerned."""
    for _ in range(2):
        with pytest.raises(StrategyError, match=words) as failed:
            simcore.replay("maceplay", f"{bots}:{bot}", 3, 7)
        assert f"{bots}:{bot}' " in str(failed.value)
        assert "in deal 7, seating 0, turn 0; mend it" in str(failed.value)


def test_the_commands_say_it_and_exit_with_two(bots: str) -> None:
    for words in (
        ["simulate", "--deals", 3, "--lineup", f"{bots}:exits,dump"],
        ["decide", "--rules", "maceplay", "--hand", "3d 4d", "--strategy", f"{bots}:exits"],
    ):
        done = script(*words)
        assert done.returncode == 2 and done.stdout == ""
        assert "exits' ended its process (exit status 0) in deal 0" in done.stderr
        assert "Traceback" not in done.stderr
    found = call("strategies", "check", f"{bots}:crashes", "--rules", "maceplay", "--json")
    assert found.status == 1 and "killed by SIGSEGV" in found.out


def test_the_decision_limit_holds_for_making_it_too(bots: str) -> None:
    for bot in ("never_born", "waits"):
        begun = time.monotonic()
        with pytest.raises(StrategyError, match=f"{bot}' gave no answer for 2 seconds in deal 0"):
            simcore.simulate("maceplay", f"{bots}:{bot}", 4, threads=1, decision_limit=2)
        assert time.monotonic() - begun < host.LOADING_LIMIT


def test_where_it_goes_stays_with_it(bots: str) -> None:
    before = Path.cwd(), list(sys.path), dict(os.environ)
    found = simcore.replay("maceplay", f"{bots}:wanders,lowest,lowest,lowest", 3, 7)
    assert found.turns == simcore.replay("maceplay", "lowest", 3, 7).turns
    assert (Path.cwd(), list(sys.path), dict(os.environ)) == before


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("os._exit(0)", r"ended its process \(exit status 0\) while it was loaded"),
        ("ctypes.string_at(0)", "killed by SIGSEGV while it was loaded"),
        ("raise KeyboardInterrupt", "does not load: KeyboardInterrupt"),
        ("sys.exit(0)", "does not load: SystemExit"),
        (
            "exec('class E(Exception):\\n def __str__(self): 1/0'); raise E",
            r"E: \(its __str__ raises\)",
        ),
        ("while True: pass", "was not loaded within 8 seconds"),
    ],
)
@pytest.mark.parametrize("text", [BOT, "def my_bot(position):\n    return position.plays[0]\n"])
def test_a_file_that_does_not_come_through_its_import(
    line: str, words: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if line.startswith("while"):
        monkeypatch.setattr(host, "LOADING_LIMIT", 8.0)
    (tmp_path / "bot.py").write_text(f"import ctypes, os, sys\n{text}\n{line}\n", "utf-8")
    with pytest.raises(StrategyError, match=words):
        load_strategy(f"{tmp_path}/bot.py:my_bot")


def test_its_process_ends_with_ours_also_in_the_middle_of_a_thought(bots: str) -> None:
    code = f"import simcore; simcore.replay('douque', {f'{bots}:waits'!r}, 1, 0)"
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        for _ in range(600):
            children = _children(process.pid)
            if children:
                break
            time.sleep(0.1)
        assert len(children) == 1
    finally:
        process.kill()
        process.wait()
    for _ in range(600):
        if not Path(f"/proc/{children[0]}").exists():
            return
        time.sleep(0.1)
    raise AssertionError("it lives on")


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed]


def test_processes_are_kept_and_are_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each strategy, asked again and again; the longest unused ends, and comes again."""
    monkeypatch.setattr(host, "MOST_ALIVE", 2)
    text = "import os\ndef bot{0}(position):\n    return position.plays[0]\n"
    names = []
    for i in range(3):
        (tmp_path / f"bot{i}.py").write_text(text.format(i), "utf-8")
        names.append(f"{tmp_path}/bot{i}.py:bot{i}")
    for name in [*names, names[0]]:
        simcore.decide("maceplay", name, "4d 5d", "3c")
        alive = list(host._alive)
        simcore.decide("maceplay", name, "6d 7d", "3c")
        assert list(host._alive) == alive and len(alive) <= 2
