"""The table of all keys of a rule file: an entry says a key's name, form, meaning, neutral value.

Kernels (rule_table) and tests (reference) call a key by the same name; field `opening_card` is the
key `opening.card` of a file.
"""

from dataclasses import MISSING, dataclass, field
from typing import Any

from simcore.game import rule_format as F
from simcore.game.rule_format import DRAGONS, FIVE_CARD, PLAYABLE, Form, Item

MOST_HANDS = 1000  # of a session: to play one hand again, all before it are played


def key(form: Form, words: str, neutral: Any = MISSING) -> Any:
    """A key of a rule file: what it says, and the value that stands where a file lacks it.

    Without a neutral value every file must give it. A key that is added needs one: files and runs
    of earlier versions lack it.
    """
    default = neutral if neutral is MISSING else form.read(neutral)
    return field(default=default, metadata={"form": form, "words": words})


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleKeys:
    """The rules of a rule set, a field for each key."""

    name: str = key(F.NAME, "What the rule set is called.")
    title: str = key(F.TEXT, "Its character in one line.")
    players: tuple[int, ...] = key(
        F.numbers(2, 4, empty=False), "The numbers of players that it can be played with."
    )
    suits: str = key(F.SUIT_ORDER, "The suits, low to high.")
    deal: int = key(  # 0: all cards
        F.DEAL, "Cards dealt to each player; those that are not dealt stay out of play.", "all"
    )
    leftover: str = key(
        F.choice(
            {
                "opening_card_first": "the opening card is dealt first, to a random seat",
                "to_opening_card_holder": "they go to the holder of the opening card",
            }
        ),
        "Where cards go that do not divide among the players, when all are dealt.",
    )
    opening_card: str = key(
        F.CARD,
        "Its holder starts; if it is out of play, opening.not_dealt says who does.",
    )
    opening_must_include: bool = key(F.FLAG, "The first play must contain the opening card.", False)
    opening_alone: bool = key(
        F.FLAG, "The first play must be the opening card alone, as a single.", False
    )
    opening_not_dealt: str = key(
        F.choice(
            {
                "next_of_suit": "the next higher card of its suit that was dealt",
                "lowest": "the lowest card that was dealt",
            }
        ),
        "What takes the place of the opening card if it is out of play.",
        "next_of_suit",
    )
    session_hands: int = key(
        F.whole(1, MOST_HANDS, 24),
        "Hands that the same seats play one after another: then such a session is what is drawn.",
        1,
    )
    session_lead: str = key(
        F.choice(
            {
                "opening_card": "whom the opening card makes start, as in the first hand",
                "winner": "the winner of the hand before; the opening card needs not be played",
                "random": "a random player; the opening card needs not be played",
            }
        ),
        "Who starts the hands of a session after its first.",
        "opening_card",
    )
    kinds_allowed: tuple[str, ...] = key(  # weakest first: by size, then ladder
        F.kinds(*PLAYABLE), "The kinds of combination that may be played."
    )
    kinds_ladder: tuple[str, ...] = key(
        F.kinds(*FIVE_CARD),
        "Five-card kinds, low to high: a later one beats an earlier one.",
        [],
    )
    kinds_apart: tuple[str, ...] = key(
        F.kinds(*FIVE_CARD), "Five-card kinds beside the ladder: beaten by their own kind.", []
    )
    kinds_two_pair_tie: str = key(
        F.choice(
            {
                "suit": "the suit of the highest card",
                "second_pair": "the rank of the lower pair, then the suit of the highest card",
            }
        ),
        "What decides between two pairs whose higher pairs are of one rank.",
        "suit",
    )
    kinds_bombs: tuple[str, ...] = key(
        F.kinds(*(kind for kind in PLAYABLE if kind not in DRAGONS)),
        "Kinds that beat others out of turn, low to high.",
        [],
    )
    kinds_bombs_beat: tuple[int, ...] = key(
        F.numbers(1, 5), "Sizes of the regular plays that a bomb beats.", []
    )
    kinds_bombs_each: tuple[tuple[str, tuple[int, ...]], ...] = key(
        F.SIZES_OF_KINDS,
        "Sizes of the regular plays that single bombs beat, in place of those.",
        {},
    )
    kinds_bombs_twos_only: tuple[str, ...] = key(
        F.kinds(*(kind for kind in PLAYABLE if kind not in DRAGONS)),
        "Bombs that beat, of these sizes, only single 2s and pairs, triples and fours of 2s.",
        [],
    )
    kinds_unbeatable: tuple[str, ...] = key(
        F.kinds(*PLAYABLE), "Kinds that nothing beats, except a Dragon.", []
    )
    kinds_unbeatable_singles: tuple[str, ...] = key(
        F.CARDS, "Cards that no other single and no bomb beats when they are played alone.", []
    )
    kinds_singles_beat_all: tuple[str, ...] = key(
        F.CARDS,
        "Highest cards that, played alone, beat plays of every kind and size; nothing beats them "
        "but a higher one of them, or a Dragon.",
        [],
    )
    straights_order: tuple[tuple[str, str], ...] = key(  # (ranks, rank of the tie-break card)
        F.STRAIGHTS,
        "Every straight, low to high, each with the rank whose suit breaks a tie.",
    )
    straights_compare: str = key(
        F.choice(F.STRAIGHT_ORDERS), "What decides between two straights.", "place"
    )
    straights_compare_suited: str = key(
        F.choice(F.STRAIGHT_ORDERS),
        "What decides between two straight flushes, or two royal flushes.",
        "place",
    )
    flush_first: str = key(
        F.choice(
            {
                "ranks": "five ranks from high to low, then the suit",
                "suit": "the suit, then the highest card",
                "top_card": "the highest card's rank, then its suit, and nothing else",
            }
        ),
        "What decides between two flushes.",
    )
    flush_two: str = key(
        F.choice({"high": "above the ace", "low": "below the 3"}), "Where the 2 of a flush stands."
    )
    passing_locks_on: tuple[int, ...] = key(
        F.numbers(1, 5),
        "Sizes of the standing play on which a pass locks the player out until the next lead.",
        [],
    )
    last_card_highest_single: bool = key(
        F.FLAG,
        "While the next player has one card left, a single must be one's highest card.",
        False,
    )
    last_card_no_pass: bool = key(
        F.FLAG,
        "While the next player has one card left, whose highest card beats a single may not pass.",
        False,
    )
    last_card_pays: bool = key(
        F.FLAG,
        "Who plays a single but the highest card, or passes though that card beats a single, pays "
        "for all if the next player then plays the last card.",
        False,
    )
    payoff_settlement: str = key(
        F.choice(
            {
                "winner_takes": "each loser pays the winner",
                "pairwise": "every pair of players settles the difference of what they owe",
            }
        ),
        "Who pays whom. Payoffs are zero-sum: a penalty that no player gets cannot be said.",
        "winner_takes",
    )
    payoff_tiers: tuple[tuple[int, int], ...] = key(
        F.TIERS, "From so many cards left, a loser's cards count so many times.", [[1, 1]]
    )
    payoff_card_values: tuple[tuple[str, int], ...] = key(
        F.RANK_VALUES, "What a card of a rank counts among the cards left; others count 1.", {}
    )
    payoff_monsters: tuple[str, ...] = key(
        F.kinds("bare_four", "four_of_a_kind", "straight_flush", "royal_flush"),
        "Kinds that count as a Monster in the payoff.",
        [],
    )
    payoff_two_left: Item = key(
        F.item("loser", "twos", 4, "2s left: {count}"), "For each 2 left.", {}
    )
    payoff_monster_left: Item = key(
        F.item("loser", "Monster left", 1, "an unplayed Monster left"),
        "Once, where the cards left hold a Monster.",
        {},
    )
    payoff_any_two_left: Item = key(
        F.item("loser", "any 2 left", 1, "a 2 left"), "Once, where a 2 is left.", {}
    )
    payoff_highest_two_left: Item = key(
        F.item("loser", "highest 2 left", 1, "the highest 2 left"),
        "The 2 of the highest suit is left.",
        {},
    )
    payoff_nothing_played: Item = key(
        F.item("loser", "nothing played", 1, "has played no card"),
        "The loser has played no card.",
        {},
    )
    payoff_finish_two: Item = key(
        F.item("winner", "twos", 4, "2s in the last play: {count}"),
        "For each 2 in the last play.",
        {},
    )
    payoff_finish_monster: Item = key(
        F.item("winner", "last kind", 1, "the last play is a {kind}"),
        "The last play is a Monster or a Dragon.",
        {},
    )
    payoff_finish_flush_dragon: Item = key(
        F.item("winner", "last kind", 1, "the last play is a {kind}"),
        "The last play is a Flush Dragon; instead of finish_monster.",
        {},
    )
    payoff_finish_opening_card: Item = key(
        F.item("winner", "opening card", 1, "the last play contains {card}"),
        "The last play contains the opening card.",
        {},
    )
    payoff_grand_slam: Item = key(
        F.item("winner", "grand slam", 1, "the starter won and nobody else played a card"),
        "The starter won, and nobody else played a card.", {},
    )  # fmt: skip
