"""The `bigtwo` command's door: our own packages first, whatever lies beside the user."""

import sys


def main() -> None:
    """Entry point of the `bigtwo` script."""
    from simcore.packages import claim

    claim("analyses")
    claim("cli")
    from importlib import import_module

    import_module("cli.main").main()
    sys.exit(0)


if __name__ == "__main__":
    main()
