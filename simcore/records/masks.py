"""Masks of the cards of records, remembered: the same small plays come up over and over."""

from simcore.game.cards import RANKS
from simcore.records.record import Hand

MOST = 1 << 17  # plays that are remembered


class _Masks(dict[Hand, int]):
    """Masks of cards in the suit order of some rules, remembered."""

    def __init__(self, suits: str) -> None:
        super().__init__()
        self._bits = {
            rank + suit: 1 << 4 * r + s
            for r, rank in enumerate(RANKS)
            for s, suit in enumerate(suits)
        }

    def __missing__(self, cards: Hand) -> int:
        mask = 0
        for card in cards:
            mask |= self._bits[card]
        if len(self) < MOST:
            self[cards] = mask
        return mask


_MASKS: dict[str, _Masks] = {}


def masks_of(suits: str) -> _Masks:
    """The memory of masks of one suit order."""
    return _MASKS.setdefault(suits, _Masks(suits))
