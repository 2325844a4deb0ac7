"""Runs: what one `simulate` call samples, its parts on disk, and the loop that fills them."""
