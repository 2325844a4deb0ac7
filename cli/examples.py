"""Two examples of every command, for its help, and the groups in which the commands are listed."""

PLAYING, ASKING, READING, PEOPLE, BUILDING = (
    "Play and compare",
    "Ask about one hand",
    "Read runs",
    "Real games",
    "Build and tune",
)
GROUPS = {
    PLAYING: ("simulate", "compare", "compare-rules", "rate"),
    ASKING: ("plays", "classify", "beats", "payoff", "decide", "evaluate", "replay"),
    READING: ("runs", "analyse", "report"),
    PEOPLE: ("records", "review", "sheet", "audit"),
    BUILDING: ("rules", "strategies", "tune", "train", "bench"),
}
EXAMPLES = {
    "simulate": (
        "simulate --lineup dump,keep --deals 100k --out results/first",
        "simulate --rules royal --lineup net,control,linear --deals 20k --max-time 5m",
    ),
    "compare": (
        "compare dump keep smart --deals 20k",
        "compare net control --tables 2v2 --rules lockout",
    ),
    "compare-rules": (
        "compare-rules douque maceplay --lineup dump,keep",
        "compare-rules royal --lineup dump --vary passing.locks_on",
    ),
    "rate": ("rate dump keep linear control", "rate my_bot.py:my_bot dump keep --deals 5k"),
    "plays": (
        "plays --hand '3d 3c 5h 7s 9s Ts Js Qs'",
        "plays --hand '3d 3c 5h 7s' --table 4c --rules royal",
    ),
    "classify": ("classify '3d 4d 5d 6d 7d'", "classify 'Ah 2s 3c 4d 5h' --rules royal"),
    "beats": ("beats '5s 5h' '5c 5d'", "beats 2s Ac --rules lockout"),
    "payoff": (
        "payoff --last 3d --left 4c --left 5c --left 6c",
        "payoff --last '3d 3h' --left '4c 4d' --left 2s --left 6c --rules royal --json",
    ),
    "decide": (
        "decide --hand '3c 4d 5h 9s Kd 2s' --cards-left 6,4,8,5 --strategy net",
        "decide --hand '5h 9s Kd' --table 8d --cards-left 3,4,8,5 --strategy control",
    ),
    "evaluate": (
        "evaluate --hand '5h 9s Kd 2c' --cards-left 4,4,8,5 --max-time 2s",
        "evaluate --hand '5h 9s Kd' --table 8d --cards-left 3,2,8,5 --policy net",
    ),
    "replay": ("replay results/first --deal 7", "replay results/first --find dragon,grand_slam"),
    "runs list": ("runs list", "runs list results --json"),
    "runs show": ("runs show results/first", "runs show results/first --check"),
    "runs verify": ("runs verify results/first", "runs verify results/first --sample 5k"),
    "runs combine": (
        "runs combine results/a results/b --out results/both",
        "runs combine results/monday results/tuesday --out results/week --json",
    ),
    "runs export": (
        "runs export results/first --to csv",
        "runs export results/first --to duckdb --out first.duckdb",
    ),
    "analyse means": ("analyse means results/first", "analyse means results/a results/b --csv"),
    "analyse rare": ("analyse rare results/first", "analyse rare results/first --json"),
    "analyse distributions": (
        "analyse distributions results/first",
        "analyse distributions results/first --csv",
    ),
    "report": ("report results/first", "report results/a results/b -o both.md --author 'A club'"),
    "records write": (
        "records write results/first --deals 0:20 --out hands.jsonl",
        "records write results/first --deals 7:8 --seating 0 --out hand.jsonl",
    ),
    "records check": (
        "records check hands.jsonl",
        "records check hands.jsonl --rules royal --most 100",
    ),
    "records show": (
        "records show hands.jsonl --hand 3",
        "records show hands.jsonl --hand 3 --html hand.html",
    ),
    "review": (
        "review hands.jsonl -o review.html",
        "review hands.jsonl --rules royal --strategy net --anonymous",
    ),
    "sheet": ("sheet season.csv --rules royal", "sheet season.csv --rules royal -o season.html"),
    "audit": ("audit hands.csv", "audit hands.jsonl --json"),
    "rules show": ("rules show royal", "rules show royal:deal=13 --file"),
    "rules check": ("rules check club.toml", "rules check royal:passing.locks_on=[1]"),
    "rules diff": ("rules diff royal douque", "rules diff pusoy@1 pusoy"),
    "strategies show": ("strategies show control", "strategies show my_bot.py:my_bot"),
    "strategies new": ("strategies new my_bot.py", "strategies new plain_bot.py --plain"),
    "strategies check": (
        "strategies check my_bot.py:my_bot",
        "strategies check thrifty.py:Thrifty --rules lockout",
    ),
    "bench": ("bench", "bench --profile --strategy linear"),
    "tune": (
        "tune linear --rules royal --budget 20m",
        "tune my_bot.py:my_bot --against dump,keep --budget 500k",
    ),
    "train": (
        "train --rules royal --budget 20m -o royal.npz",
        "train --rules club.toml --playouts 5m -o club.npz --plot curve.svg",
    ),
}
# What belongs to a family is shown by one of its members.
FAMILY = {"analyse": "analyse means"}


def group_of(command: str) -> str:
    """The heading under which a command of the first level is listed."""
    return next(group for group, names in GROUPS.items() if command in names)


def one_of_each() -> str:
    """A line of each group: the end of the help of `bigtwo` itself."""
    first = ("simulate", "decide", "report", "records check", "train")
    return "For example:\n\n" + "\n\n".join(f"bigtwo {EXAMPLES[name][0]}" for name in first)


def examples_of(command: str) -> str | None:
    """Its examples as the end of its help; of another of its family where it has none."""
    found: tuple[str, ...] | None = EXAMPLES.get(command)
    if found is None and command.split()[0] in FAMILY:
        other, own = FAMILY[command.split()[0]], command
        found = tuple(each.replace(other, own, 1) for each in EXAMPLES[other])
    if found is None:
        return None
    return "Examples:\n\n" + "\n\n".join(f"bigtwo {each}" for each in found)
