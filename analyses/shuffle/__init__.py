"""Dealt hands against a fair deal: reading them, what is exact, and the tests of an audit."""
