"""Tuning, training of networks, measurements: the commands `tune`, `train` and `bench`."""
