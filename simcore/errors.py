"""What can go wrong through no fault of the engine; each message names value, bound and remedy."""

import difflib
from collections.abc import Iterable


class BigTwoError(Exception):
    """Base of every error that a user can cause; the command line prints it and exits with 2."""


class InputError(BigTwoError, ValueError):
    """A value that cannot be used: cards, a rule file, a lineup, a number out of bounds."""


class StrategyError(BigTwoError):
    """A strategy that could not be loaded, or misbehaved during a playout."""


class RunError(BigTwoError):
    """A run's folder that cannot be used: another run's, damaged, not writable."""


def described(error: BaseException) -> str:
    """An exception in a few words, also one that cannot say what it is."""
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException:  # of code that is not ours
        text = "(its __str__ raises)"
    return " ".join(f"{name}: {text}".split())[:300] if text else name


MOST_SHOWN = 200  # characters of a value in a message


def shown(value: object) -> str:
    """A value as a message quotes it, cut where it is long."""
    return cut(repr(value[: MOST_SHOWN + 1] if isinstance(value, str | list) else value))


def cut(text: str) -> str:
    """A text within a message, cut where it is long."""
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an 'unknown name' sentence: the nearest known names, else all of them."""
    names = sorted(set(known))
    close = difflib.get_close_matches(name[:MOST_SHOWN], names, n=3, cutoff=0.5)
    return (
        f"did you mean {' or '.join(close)}?"
        if close
        else f"known: {', '.join(names[:16])}{', …' * (len(names) > 16)}"
    )


def check_whole(what: str, deals: int, hands: int) -> None:
    """Raises InputError for deals that are no whole sessions of so many hands."""
    if deals % hands:
        low, high = deals - deals % hands, deals - deals % hands + hands
        raise InputError(
            f"{what} is {deals:,}, but {hands} hands are played in a session, and sessions are "
            f"played whole: give {f'{low:,} or ' if low else ''}{high:,}"
        )
