"""Words of version 0.1.0 that still work in 0.2."""

import warnings

RENAMED = {"win": "win_rate", "win_share": "win_rate"}


def current(word: str) -> str:
    """Today's word for one that somebody gave; an old one is noted (FutureWarning)."""
    found = RENAMED.get(word, word)
    if found != word:
        warnings.warn(
            f"{word!r} is called {found!r} now; the old word works until version 0.3",
            FutureWarning,
            stacklevel=3,
        )
    return found
