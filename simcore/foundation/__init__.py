"""What everything compiled stands on: numba's configuration, bits, random streams."""
