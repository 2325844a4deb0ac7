"""Strategies in other languages: the programs of the documentation, and what one can do wrong."""

import json
import re
import time
from pathlib import Path

import pandas as pd
import pytest

import simcore
from simcore.errors import InputError, StrategyError
from simcore.strategies import host
from simcore.strategies.registry import load_strategy
from tests.command import call, data, refuse, stored

PAGE = Path(__file__).resolve().parents[1] / "docs" / "pages" / "tasks" / "another-language.md"
# The strategy of the page once more: as a program in Python, and in plain Python.
PROGRAM = """
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        assert message["protocol"] == 1 and message["name"] == "thrifty"
        assert message["rules"]["name"] == "maceplay"
        hold = message["parameters"]["hold"]
        answer = {"protocol": 1}
    elif message["type"] == "bye":
        open("bye.txt", "a").write("bye ")
        break
    else:
        plays = [play["cards"] for play in message["plays"]]
        if message["to_beat"] is None:
            answer = {"cards": max(plays, key=len)}
        elif len(message["hand"]) <= hold:
            answer = {"cards": " ".join(plays[0])}
        else:
            no_two = [cards for cards in plays if not any(card[0] == "2" for card in cards)]
            answer = {"cards": no_two[0]}
        assert 0 <= message["seed"] < 2**31
    print(json.dumps(answer), flush=True)
"""
PLAIN = """
class Thrifty:
    def __init__(self, hold=5):
        self.hold = hold
    def choose(self, position):
        if position.to_beat is None:
            return max(position.plays, key=lambda play: len(play.cards))
        for play in position.plays:
            if len(position.hand) <= self.hold or not any(card[0] == "2" for card in play.cards):
                return play
"""
TOML = 'name = "bot"\nversion = "1"\nargv = ["sh", "-c", {}]\n'
READY = "read -r hello; echo '{\"protocol\": 1}'; "


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page, with their twins in Python."""
    for name, text in re.findall(
        r"```\w+\n# ([\w.]+):(.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    ):
        (tmp_path / name).write_text(f"#{text}", "utf-8")
    (tmp_path / "twin.py").write_text(PROGRAM, "utf-8")
    twin = (tmp_path / "thrifty.toml").read_text("utf-8").replace("perl", "python3")
    (tmp_path / "twin.toml").write_text(twin.replace("thrifty.pl", "twin.py"), "utf-8")
    (tmp_path / "plain.py").write_text(PLAIN, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_languages_and_plain_python_play_alike(folder: Path) -> None:
    """Stored, extended, checked, replayed and verified like any other run."""
    for name in ("thrifty.toml", "twin.toml", "plain.py:Thrifty"):
        lineup = f"{name},random,{name}:hold=12,lowest"
        run = folder / name[:4]
        if name == "thrifty.toml":
            simcore.simulate("maceplay", lineup, 2, seed=4, threads=2, out=run)
        simcore.simulate("maceplay", lineup, 4, seed=4, threads=1, out=run)
    for name in ("twin", "plai"):
        pd.testing.assert_frame_equal(stored(folder / "thri"), stored(folder / name))
    refuse(call("replay", "thri", "--deal", 3), "thrifty.toml", "executed", "--trust")
    asked = data("replay thri --deal 3 --trust")
    assert asked["lineup"] == ["thrifty.toml", "random", "thrifty.toml:hold=12", "lowest"]
    assert asked["turns"] == data("replay plai --deal 3 --trust")["turns"]
    assert call("runs", "verify", "thri", "--trust").status == 0
    assert data("strategies show thrifty.toml")["bounds"] == {"hold": "0 to 13"}
    host.stop_all()
    for _ in range(100):
        if (folder / "bye.txt").exists():
            break
        time.sleep(0.1)
    assert (folder / "bye.txt").read_text("utf-8").startswith("bye")
    with (folder / "thrifty.pl").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    refuse(call("replay", "thri", "--deal", 3, "--trust"), "is not the one that played the run")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("exit 3", r"ended its process \(exit status 3\)"),
        ("echo no coffee >&2; exit 1", r"\(exit status 1\), with 'no coffee' on stderr"),
        (f"{READY} read -r position; kill -9 $$", "crashed: its process was killed by SIGKILL"),
        ("echo hello", "wrote 'hello', which is no JSON"),
        ("""echo '{"protocol": 2}'""", "answered hello with '{\"protocol\": 2}'; the answer is"),
        (f"{READY} sleep 60", r"gave no answer for 0.5 seconds \(limits.decision\)"),
        (f"{READY} read -r p; echo '[1]'", r"answered '\[1\]'; the answer is"),
        (f"{READY} read -r p; echo '{{\"index\": 99}}'", r"answered index 99 of \d+ plays \(0 to"),
        (f'{READY} read -r p; echo \'{{"cards": "2s 2s"}}\'', "which are no cards"),
        (f'{READY} read -r p; echo \'{{"cards": "3s 4s"}}\'', "'3s 4s', which is none of the l"),
        (
            f"{READY} read -r p; yes '{{\"index\": 0}}'",
            "before it was asked; every answer is one line",
        ),
        (f"{READY} read -r p; yes | tr -d '\\n'", "wrote a line of more than 65,536 bytes"),
    ],
)
def test_what_it_does_wrong_is_a_sentence(code: str, words: str, tmp_path: Path) -> None:
    bot = tmp_path / "bot.toml"
    bot.write_text(f"{TOML.format(json.dumps(code))}[limits]\ndecision = 0.5\n", "utf-8")
    with pytest.raises(StrategyError, match=words) as failed:
        simcore.replay("maceplay", str(bot), 3, 7)
    assert str(failed.value).startswith(f"strategy '{bot}' ")
    assert "in deal 7, seating 0, turn " in str(failed.value) and "; mend it" in str(failed.value)


def test_a_hanging_one_ends_with_all_that_it_started(tmp_path: Path) -> None:
    """By the run's own limit, with exit status 2."""
    bot, pid = tmp_path / "bot.toml", tmp_path / "pid"
    code = f"{READY} sleep 600 & echo $! > pid; sleep 600"
    bot.write_text(TOML.format(json.dumps(code)), "utf-8")
    found = call("simulate", "--lineup", bot, "--deals", 5, "--decision-limit", "1s")
    refuse(found, f"strategy '{bot}' gave no answer for 1 seconds in deal 0", "--decision-limit")
    stat = Path(f"/proc/{pid.read_text('utf-8').strip()}/stat")
    for _ in range(100):
        if not stat.exists() or stat.read_text("utf-8").rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError("it lives on")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 3", "name is 3; give a text"),
        ("nam = 3", "unknown key 'nam'; did you mean name"),
        ('name = "a"\nversion = "1"', "argv must be a list of words"),
        (TOML.replace('"sh"', '"./nobody"'), "'./nobody', which is no file beside it"),
        (f"{TOML}[parameters]\nhold = 'x'", "parameters.hold.default is 'x'; give a number"),
        (f"{TOML}[parameters]\nhold = {{{{default = 9, most = 3}}}}", "out of bounds: at most 3"),
        (f"{TOML}[limits]\ndecison = 1", "unknown key 'decison'; did you mean decision"),
        ("= 3", "not valid TOML"),
    ],
)
def test_a_file_that_says_nothing_useful(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(text.format('"cat"'), "utf-8")
    with pytest.raises((InputError, StrategyError)) as failed:
        load_strategy(f"{tmp_path}/bot.toml")
    assert words in str(failed.value)
    with pytest.raises(InputError, match=r"nobody\.toml' does not exist"):
        load_strategy(f"{tmp_path}/nobody.toml")


def test_rules_of_the_hello_are_those_of_a_run(tmp_path: Path) -> None:
    code = 'read -r hello; echo "$hello" > hello.json; echo \'{"protocol": 1}\'; cat > /dev/null'
    text = TOML.format(json.dumps(code)) + "[limits]\ndecision = 0.2\n"
    (tmp_path / "bot.toml").write_text(text, "utf-8")
    with pytest.raises(StrategyError, match=r"limits\.decision"):
        simcore.replay("royal:deal=13", f"{tmp_path}/bot.toml", 3, 7)
    hello = json.loads((tmp_path / "hello.json").read_text("utf-8"))
    rules = simcore.load_rules("royal:deal=13").as_dict()
    assert hello["rules"] == json.loads(json.dumps(rules))


def test_a_relative_path_is_looked_up_in_the_folder_of_today(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of the same name in another folder is another strategy."""
    found = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        Path("bot.py").write_text(f"from simcore import strategy\n\n{BOT.format(folder)}")
        found.append(load_strategy("bot.py:bot"))
    assert [dict(each.defaults) for each in found] == [{"one": 1.0}, {"two": 1.0}]


BOT = """@strategy({}=1.0)
def bot(view, plays, n_plays, params, rng):
    return 0
"""
