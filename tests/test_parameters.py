"""Guards parameters: what is read, what is refused, and that their names are their places."""

from typing import Any

import pytest

from simcore import Parameter
from simcore.errors import InputError, StrategyError
from simcore.strategies.interface import Strategy, strategy
from simcore.strategies.parameters import places
from simcore.strategies.registry import BUILT_IN, NOISY, load_strategy


def first(view, plays, n_plays, params, rng):  # type: ignore[no-untyped-def]
    return 0


HOLD = Parameter(4.0, "cards", least=0, most=13).named("hold")
MOOD = Parameter(1, words=("calm", "wild")).named("mood")


@pytest.mark.parametrize(
    ("parameter", "text", "value", "written"),
    [(HOLD, "4", 4, "4"), (HOLD, "2.50", 2.5, "2.5"), (MOOD, "wild", 1, "wild")],
)
def test_it_is_read_as_it_is_written(
    parameter: Parameter, text: str, value: float, written: str
) -> None:
    assert parameter.read(text, "bot") == value
    assert parameter.write(value) == written
    assert parameter.read(written, "bot") == value


@pytest.mark.parametrize(
    ("parameter", "text", "words"),
    [
        (HOLD, "x", "parameter hold of 'bot' is 'x'; give a number"),
        (HOLD, "nan", "'nan'; give a finite number"),
        (HOLD, "14", "is 14, which is out of bounds: 0 to 13"),
        (Parameter(1, least=1).named("n"), "0", "bounds: at least 1"),
        (Parameter(1, most=1).named("n"), "2", "bounds: at most 1"),
        (MOOD, "1", "'1'; known: calm, wild"),
        (MOOD, "wid", "'wid'; did you mean wild"),
    ],
)
def test_what_cannot_be_is_refused(parameter: Parameter, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parameter.read(text, "bot")


def test_the_forms_of_the_decorator() -> None:
    old = strategy(hold=4, mood=1, words={"mood": MOOD.words}, bounds={"hold": (0, 13)})(first)
    new = strategy(hold=Parameter(4, "cards", least=0, most=13), mood=MOOD)(first)
    more = strategy(hold=HOLD, parameters={"mood": MOOD})(first)
    assert new.parameters == more.parameters == (HOLD, MOOD)
    assert [p.bounds for p in old.parameters] == [p.bounds for p in new.parameters]
    assert old.defaults == new.defaults == (("hold", 4.0), ("mood", 1.0))
    assert strategy(first).parameters == strategy()(first).parameters == ()
    assert old.version is None  # it is known by its source


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"hold": Parameter(4, least=5)}, "hold has the default 4.*at least 5"),
        ({"hold": 4, "bounds": {"holds": (0, 5)}}, "'holds' that there is not"),
        ({"mood": 2, "words": {"mood": ("calm", "wild")}}, "mood has the default 2.*0 to 1"),
    ],
)
def test_a_fault_in_the_declaration(keywords: dict[str, Any], words: str) -> None:
    with pytest.raises(StrategyError, match=words):
        strategy(**keywords)(first)


def test_places_have_the_names_of_parameters() -> None:
    found: Strategy = strategy(parameters={"pass": 1.0, "hold": HOLD})(first)
    assert (found.places.pass_, found.places.hold) == (0, 1)
    assert tuple(places("abc")) == (0, 1, 2)


@pytest.mark.parametrize("name", [*BUILT_IN, NOISY])
def test_every_parameter_of_a_built_in_strategy_says_what_it_means(name: str) -> None:
    assert [p.name for p in load_strategy(name).parameters if not p.about] == []
