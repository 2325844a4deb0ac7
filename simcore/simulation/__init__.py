"""Playouts: one deal to its end, many deals in parallel, additive results."""
