"""The `bigtwo` command's door: our own packages first, whatever lies beside the user."""


def main() -> None:
    """Entry point of the `bigtwo` script."""
    from importlib import import_module

    from simcore.packages import claim

    claim()
    import_module("cli.main").main()


if __name__ == "__main__":
    main()
