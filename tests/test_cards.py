"""Guards card notation: what is read, what is written, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.errors import InputError
from simcore.game.cards import card_name, card_names, parse_cards, parse_mask, to_mask
from tests.reference import RANKS
from tests.support import RULE_SETS, cards_of, mask_of, reference

SUIT_ORDERS = ("cdhs", "dchs", "cshd", "shdc")
EVERY_CARD = [rank + suit for rank in RANKS for suit in "cdhs"]


@pytest.mark.parametrize(
    "text",
    [
        *("3c Td 2s", "3C tD 2S", "3c,Td,2s", "3c, Td, 2s", "3cTd2s", "  3c\tTd\n2s ", "3c;Td;2s"),
        *("3c 10d 2s", "3c10d2s", "C3 D10 S2", "c3d10s2", "♣3 ♦10 ♠2", "3♣ 10♦ 2♠", "3♣10♦2♠"),
        *("♣️3 ♦️10 ♠️2", "3♣️ T♦️ 2♠️", "♧3 ♢T ♤2"),
    ],
)
def test_every_usual_spelling_is_read(text: str) -> None:
    assert [card_name(card, "cdhs") for card in parse_cards(text, "cdhs")] == ["3c", "Td", "2s"]


def test_a_list_of_cards_is_read_like_a_text() -> None:
    assert parse_cards(["3c", "♦10", "S2"], "cdhs") == parse_cards("3c Td 2s", "cdhs")


def test_no_text_is_no_card() -> None:
    assert parse_cards("", "cdhs") == []
    assert parse_cards(" , ", "cdhs") == []
    assert parse_mask([], "cdhs") == 0


def test_cards_are_numbered_by_rank_and_then_by_the_suits_own_order() -> None:
    assert parse_cards("3c 3d 3h 3s 4c 2s", "cdhs") == [0, 1, 2, 3, 4, 51]
    assert parse_cards("3d 3c 3h 3s 4d 2s", "dchs") == [0, 1, 2, 3, 4, 51]
    assert parse_cards("3c 3s 3h 3d 4c 2d", "cshd") == [0, 1, 2, 3, 4, 51]


@pytest.mark.parametrize("suits", SUIT_ORDERS)
def test_every_card_keeps_its_name(suits: str) -> None:
    for name in EVERY_CARD:
        (card,) = parse_cards(name, suits)
        assert card_name(card, suits) == name
        assert card == RANKS.index(name[0]) * 4 + suits.index(name[1])


@given(st.sets(st.sampled_from(EVERY_CARD)), st.sampled_from(SUIT_ORDERS))
def test_any_set_of_cards_survives_the_round_trip(chosen: set[str], suits: str) -> None:
    mask = parse_mask(sorted(chosen), suits)
    assert mask == mask_of(suits, chosen)
    assert set(card_names(mask, suits)) == chosen
    assert tuple(card_names(mask, suits)) == cards_of(suits, mask)
    assert parse_mask("".join(card_names(mask, suits)), suits) == mask


@given(
    st.lists(st.sampled_from(EVERY_CARD), unique=True),
    st.sampled_from(("", " ", ",", ", ", " ; ", "\n")),
    st.booleans(),
    st.booleans(),
)
def test_any_mixture_of_spellings_gives_the_same_cards(
    chosen: list[str], between: str, ten: bool, suit_first: bool
) -> None:
    spelt = []
    for number, name in enumerate(chosen):
        rank = "10" if ten and name[0] == "T" else name[0]
        suit = name[1].upper() if number % 2 else name[1]
        spelt.append(suit + rank if suit_first else rank + suit)
    assert parse_cards(between.join(spelt), "cdhs") == parse_cards(chosen, "cdhs")


@pytest.mark.parametrize("name", RULE_SETS)
def test_cards_come_out_low_to_high_in_every_rule_set(name: str) -> None:
    rules = reference.RULES[name]
    deck = reference.full_deck(rules)
    assert card_names((1 << 52) - 1, rules.suits) == deck
    assert to_mask(range(52)) == parse_mask(deck, rules.suits) == (1 << 52) - 1


@pytest.mark.parametrize(
    ("text", "named"),
    [
        *(("1c", "1c"), ("3x", "3x"), ("3c 11d", "11d"), ("Tc Zz", "Zz"), ("3", "3"), ("c", "c")),
        *(("3c 4", "4"), ("3c ♠", "♠"), ("joker", "joker"), ("3 c", "3"), ("34c", "34c")),
        *(("0d", "0d"), ("100d", "100d"), ("3cc", "c"), ("-3c", "-3c")),
    ],
)
def test_an_unknown_card_is_named(text: str, named: str) -> None:
    with pytest.raises(InputError, match="unknown card") as caught:
        parse_cards(text, "cdhs")
    assert repr(named) in str(caught.value)
    assert "as in '3c Td 2s'" in str(caught.value)


@pytest.mark.parametrize("text", ["3c 3c", "Td 10D", "♦10,dT", "2s 3c S2"])
def test_a_card_given_twice_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="twice") as caught:
        parse_cards(text, "cdhs")
    assert "once" in str(caught.value)


BLANKS = [chr(i) for i in range(0x3001) if chr(i).isspace() and chr(i) not in " \t\n\r"]


@given(st.text(st.characters(exclude_characters=BLANKS), max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_cards(text, "cdhs")
    except InputError:
        return
    assert all(0 <= card < 52 for card in found)


@pytest.mark.parametrize("blank", ["\u00a0", "\u3000", "\x0b"])
def test_a_blank_that_is_no_separator_is_read_or_refused(blank: str) -> None:
    """A no-break space or an ideographic space behind the cards, as pasted from a web page."""
    try:
        assert len(parse_cards(f"3c{blank}", "cdhs")) == 1
    except InputError:
        return
