"""Strategies: the interface, the registry, and one file for each built-in."""
