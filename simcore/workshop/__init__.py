"""Tuning of strategies, and measurements of the engine: the commands `tune` and `bench`."""
