"""The command line, `bigtwo`: one file per command, thin over simcore and analyses."""
