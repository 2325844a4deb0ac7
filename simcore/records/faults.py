"""What a referee can find, by number: shared by the kernel that looks and the words that tell."""

FAULTS = (
    "none",
    # in the deal, before the first turn
    "card_dealt_twice",
    "cards_dealt",
    "wrong_starter",
    # in a turn
    "after_the_end",
    "wrong_seat",
    "locked_out",
    "card_twice",
    "played_before",
    "not_held",
    "held_by_another",
    "more_than_held",
    "no_combination",
    "not_fresh",
    "does_not_beat",
    "opening_card",
    "last_card",
    "pass_on_lead",
    "pass_though_able",
    # in the end
    "ended_early",
    "payoffs",
)
(
    NONE,
    CARD_DEALT_TWICE,
    CARDS_DEALT,
    WRONG_STARTER,
    AFTER_THE_END,
    WRONG_SEAT,
    LOCKED_OUT,
    CARD_TWICE,
    PLAYED_BEFORE,
    NOT_HELD,
    HELD_BY_ANOTHER,
    MORE_THAN_HELD,
    NO_COMBINATION,
    NOT_FRESH,
    DOES_NOT_BEAT,
    OPENING_CARD,
    LAST_CARD,
    PASS_ON_LEAD,
    PASS_THOUGH_ABLE,
    ENDED_EARLY,
    PAYOFFS,
) = range(len(FAULTS))
NO_STARTER = -1  # nothing says who starts: no fault, but nothing can be checked
