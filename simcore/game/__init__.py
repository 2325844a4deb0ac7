"""The rules of the game: cards, rule sets, combinations, legal plays, turns, payoffs, dealing."""
