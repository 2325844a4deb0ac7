"""Samples that comparisons stand on: tables on the same deals, hands as dealt, rules varied."""
