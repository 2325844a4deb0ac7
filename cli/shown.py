"""One hand on the terminal: the cards, a line a turn, the result and why it is what it is."""

from typing import Any

from cli.output import cards, counted, kind_name, out


def show_hand(told: dict[str, Any]) -> None:
    """Print what `simcore.records.table_page.told` says of a record."""
    names = [f"seat {seat} {name}" for seat, name in enumerate(told["names"])]
    width = max(map(len, names))
    out.print(told["title"], style="bold", highlight=False)
    left = list(told["dealt"])
    for seat, hand in enumerate(told["hands"]):
        starts = "  starts" if seat == told["starter"] else ""
        held = f"{counted(left[seat], 'card')}, unknown" if hand is None else cards(hand)
        out.print(f"{names[seat]:{width}s} ", held, starts, sep="", highlight=False)
    trick = 0
    for turn in told["turns"]:
        seat = turn["seat"]
        if turn["trick"] != trick:
            trick = turn["trick"]
            out.print(f"trick {trick}", style="dim", highlight=False)
        left[seat] -= len(turn["cards"])
        what = cards(turn["cards"]) if turn["cards"] else "pass"
        kind = f"  {kind_name(turn['kind'])}, {left[seat]} left" if turn["cards"] else ""
        out.print(f"  {names[seat]:{width}s} ", what, kind, sep="", highlight=False)
    if told["fault"]:
        out.print(told["fault"], style="red", highlight=False, soft_wrap=True)
    if told["winner"] is None:
        return
    winner = told["winner"]
    out.print(f"seat {winner} ({told['names'][winner]}) wins", style="bold", highlight=False)
    for seat, name in enumerate(names):
        payoff = f", payoff {told['payoffs'][seat]:+,.10g}" if told["payoffs"] else ""
        held = f"{left[seat]:2d} card{'s' * (left[seat] != 1)} left"
        out.print(f"  {name:{width}s} {held}{payoff}")
        for item in told["items"]:
            if item["seat"] == seat:
                times = f" (× {item['times']})" if item["times"] != 1 else ""
                why = f"{item['why']}{times}"
                out.print(f"    {item['points']:+6,d}  {why}", style="dim", highlight=False)
