"""Environments for those who train: many tables at once, PettingZoo, Gymnasium.

Tables(rules, lineup, …)       many tables stepped by arrays
simcore.env.aec.env(…)         one table for PettingZoo       (extra `env`)
simcore.env.gym.Seat(…)        one seat for Gymnasium         (extra `env`)
"""

from simcore.env.observation import Observation
from simcore.env.tables import Tables

__all__ = ["Observation", "Tables"]
