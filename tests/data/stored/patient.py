"""A strategy of a user's in plain Python, kept with the run that it played: never edit this file."""


class Patient:
    """Follow with the weakest play; at a lead, the one with the most cards."""

    def __init__(self, least=2):
        self.least = least

    def choose(self, position):
        if position.to_beat is None and len(position.hand) > self.least:
            return max(position.plays, key=lambda play: len(play.cards))
        return position.plays[0]
