"""The kinds of combination and their numbers, shared by rule files, kernels and results."""

PASS = 0
SINGLE = 1
PAIR = 2
TRIPLE = 3
TWO_PAIR = 4
BARE_FOUR = 5
STRAIGHT = 6
FLUSH = 7
FULL_HOUSE = 8
FOUR_OF_A_KIND = 9
STRAIGHT_FLUSH = 10
ROYAL_FLUSH = 11
DRAGON = 12
FLUSH_DRAGON = 13

KINDS = (
    "pass",
    "single",
    "pair",
    "triple",
    "two_pair",
    "bare_four",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
    "dragon",
    "flush_dragon",
)
SIZES = (0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 5, 5, 13, 13)  # cards of each kind
DRAGONS = (DRAGON, FLUSH_DRAGON)
FIVE_CARD = tuple(k for k, size in enumerate(SIZES) if size == 5)
