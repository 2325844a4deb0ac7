"""What the tests of the four rule documents ask, cards as texts."""

import simcore

DRAGON = "3c 4d 5h 6s 7c 8d 9h Ts Jc Qd Kh As 2c"


def kind(rules: str, text: str) -> str | None:
    found = simcore.classify(rules, text)
    return found and found.kind


def plays(rules: str, hand: str, table: str | None = None, **options: object) -> list[str]:
    """Legal plays as texts."""
    found = simcore.legal_plays(rules, hand, table, **options)  # type: ignore[arg-type]
    return [" ".join(play.cards) for play in found]


def beats(rules: str, play: str, table: str) -> bool:
    return simcore.beats(rules, play, table)
