"""What a training of `bigtwo train` left in its log."""

import json
from pathlib import Path

import pandas as pd

from simcore.errors import InputError, shown

COLUMNS = ["round", "playouts", "seconds", "against", "players", "deals", "gain", "gain_half_width"]


def training(file: str | Path) -> pd.DataFrame:
    """The judgements on the way: one row each, oldest first.

    file: the weights that it writes, or its log. playouts, seconds: learnt by then; gain: payoff of
    a seat of the network less that of a seat of `against`, a playout, half of the seats each, on
    held-out deals, with gain_low, gain_high (95 %, t over deals). Raises InputError.
    """
    path = Path(file)
    log = path if path.suffix == ".log" else path.with_name(path.name + ".log")
    try:
        lines = log.read_text("utf-8").splitlines()
        rounds = [json.loads(line) for line in lines if line.endswith("}")]
        rows = [{"round": each["round"], **each["judged"]} for each in rounds if "judged" in each]
        frame = pd.DataFrame(rows)[COLUMNS]
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"log {shown(str(log))} cannot be read ({reason}); check the path"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{shown(str(log))} is no log of a training; name its weights") from None
    half = frame.pop("gain_half_width")
    return frame.assign(gain_low=frame["gain"] - half, gain_high=frame["gain"] + half)
