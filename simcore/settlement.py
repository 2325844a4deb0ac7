"""Why a payoff is what it is: item by item, in points that add up to it exactly."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from simcore.game.ruleset import RuleSet, load_rules
from simcore.rulebook import Cards, itemised_payoffs, loser_numbers


@dataclass(frozen=True)
class Item:
    """One line of a settlement. `points` of the items of a seat add up to its payoff."""

    seat: int
    item: str  # cards_left, tier, a payoff item, stake, to_each, from, paid, or pays_for
    times: int  # 1: nothing is multiplied
    points: int
    why: str
    other: int | None = None  # the seat that pays, of an item "from"; that is paid for


def explain(
    rules: str | RuleSet,
    winner: int,
    left: Sequence[Cards],
    last_play: Cards,
    grand_slam: bool = False,
    stake: int = 1,
    idle: Collection[int] | None = None,
    payer: int | None = None,
) -> list[Item]:
    """The payoffs of `simcore.payoffs`, by seat and item; arguments as there. Raises InputError.

    A loser's items say what it pays for its cards, a winner's what the losers pay it. Where every
    pair of players settles, a seat pays that to each of the others, and is paid by each of them.
    Who pays for all takes over what the others would have lost.
    """
    rules = load_rules(rules)
    seats = range(len(left))
    losers = [seat for seat in seats if seat != winner]
    numbers = None if idle is None else loser_numbers(idle, winner, len(left))
    _, items = itemised_payoffs(
        rules, last_play, [left[seat] for seat in losers], grand_slam, stake, numbers
    )
    last = [item for item in items if item["who"] == "winner" and item["item"] != "all"]
    own = {
        seat: [item for item in items if item["who"] == f"loser {number}"]
        for number, seat in enumerate(losers, 1)
    }
    pays = {seat: _owed(seat, own[seat], last, stake) for seat in losers}
    due = {seat: -sum(item.points for item in pays[seat]) for seat in losers}
    pairwise = rules.payoff_settlement == "pairwise"
    found: list[Item] = []
    for seat in seats:
        found += pays.get(seat, ())
        others = len(left) - 1
        if pairwise and seat != winner and others > 1:
            extra = -due[seat] * (others - 1)
            found.append(Item(seat, "to_each", others, extra, f"to each of {others} others"))
        if pairwise or seat == winner:
            found += [
                Item(seat, "from", 1, due[other], f"from seat {other}", other)
                for other in losers
                if other != seat
            ]
    return found if payer is None else found + _taken_over(found, payer, len(left))


def _taken_over(found: list[Item], payer: int, players: int) -> list[Item]:
    """What the losses of the others come to for who pays for all."""
    lost = [sum(item.points for item in found if item.seat == seat) for seat in range(players)]
    moved: list[Item] = []
    for seat, points in enumerate(lost):
        if seat != payer and points < 0:
            moved.append(Item(seat, "paid", 1, -points, f"seat {payer} pays for all"))
            moved.append(Item(payer, "pays_for", 1, points, f"for seat {seat}", seat))
    return moved


def _owed(
    seat: int, own: list[dict[str, Any]], last: list[dict[str, Any]], stake: int
) -> list[Item]:
    """What a loser pays, as payoffs.loser_pays has it: every factor by what it adds."""
    cards = own[0]
    found = [Item(seat, "cards_left", 1, -cards["worth"], cards["why"])]
    total = -int(cards["worth"])

    def multiply(item: str, times: int, why: str) -> None:
        nonlocal total
        if times != 1:
            found.append(Item(seat, item, times, total * (times - 1), why))
            total *= times

    def add(item: dict[str, Any]) -> None:
        nonlocal total
        if item["points"]:
            found.append(Item(seat, item["item"], 1, -item["points"], item["why"]))
            total -= item["points"]

    multiply("tier", cards["times"], f"each counts × {cards['times']} with so many left")
    for items in (own[1:], last):
        for item in items:
            multiply(item["item"], item["times"], item["why"])
        for item in items:
            add(item)
    multiply("stake", stake, "the stake")
    return found
