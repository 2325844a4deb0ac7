"""run.json as bytes: its checksum, and every value checked that later code relies on.

A run is data that somebody else may have written, or a disk have bent: what is no run is refused
here in a sentence, so that whoever holds a document may believe it.
"""

import json
import math
import zlib
from typing import Any

from simcore.columns import FORMAT
from simcore.errors import BigTwoError
from simcore.game.ruleset import RuleSet
from simcore.game.seatings import PLANS
from simcore.plain_data import Unreadable, parse_json
from simcore.runs.run import identity_text, run_id

MOST_BYTES = 16 << 20
MOST_RANGES = 100_000  # of deals that were played
MOST_NAME = 4_000  # characters of one entrant's name
KEEPS = ("playouts", "tallies")


def encode(document: dict[str, Any]) -> bytes:
    """The bytes of run.json, with a checksum over everything else in it."""
    plain = {k: v for k, v in document.items() if k != "checksum"}
    whole = {**plain, "checksum": _checksum(plain)}
    return f"{json.dumps(whole, indent=2, ensure_ascii=False)}\n".encode()


def decode(data: bytes) -> dict[str, Any]:
    """Undo `encode`; documents of version 0.1.0 have no checksum. Raises Unreadable."""
    document = parse_json(data)
    if not isinstance(document, dict):
        raise Unreadable("it is no object")
    form = document.get("format", 1)
    if not _whole(form, 1, 2**31):
        raise Unreadable(f"format is {form!r:.40}")
    if form > FORMAT:
        version = document.get("software", {})
        version = version.get("bigtwo", "") if isinstance(version, dict) else ""
        raise Unreadable(
            f"it has format {form}, and this version reads up to {FORMAT}: use bigtwo "
            f"{version!s:.40} or newer"
        )
    given = document.pop("checksum", None)
    if given is not None and given != _checksum(document):
        raise Unreadable("its checksum is not that of its contents")
    _check(document)
    return document


def _checksum(document: dict[str, Any]) -> str:
    return f"{zlib.crc32(identity_text(document).encode()):08x}"


def _check(document: dict[str, Any]) -> None:
    """Raises Unreadable for the first value that cannot be."""
    kinds = {"id": str, "identity": dict, "software": dict, "machine": dict, "calls": list}
    for key, kind in kinds.items():
        if not isinstance(document.get(key), kind):
            raise Unreadable(f"{key} is missing, or no {kind.__name__}")
    if document.get("keeps") not in KEEPS:
        raise Unreadable(f"keeps is {document.get('keeps')!r:.40}, not {' or '.join(KEEPS)}")
    check_identity(document["identity"])
    if run_id(document["identity"]) != document["id"]:
        raise Unreadable("its id is not that of its identity")
    for call in document["calls"]:
        if not isinstance(call, dict) or not _texts(call.get("command")):
            raise Unreadable("one of its calls names no command")
        if "ended" in call and not all(_number(call.get(k)) for k in ("seconds", "playouts")):
            raise Unreadable("one of its calls has no number of seconds or playouts")
        if not _texts([call.get(key, "") for key in ("started", "ended")]):
            raise Unreadable("one of its calls does not say when it was")
    ranges = document.get("ranges", [])
    if not isinstance(ranges, list) or len(ranges) > MOST_RANGES:
        raise Unreadable(f"its ranges are no list of at most {MOST_RANGES:,}")
    for first_end in ranges:
        pair = isinstance(first_end, list) and len(first_end) == 2
        if not pair or not all(_whole(x, 0, 2**62) for x in first_end):
            raise Unreadable("its ranges are no pairs of deals")


def check_identity(who: Any) -> None:
    """Raises Unreadable unless a run can have this identity, whichever version wrote it."""
    if not isinstance(who, dict):
        raise Unreadable("its identity is no object")
    try:
        rules = RuleSet.from_dict(who["rules"])
    except BigTwoError as error:
        raise Unreadable(f"its rules are none ({error})") from None
    except KeyError:
        raise Unreadable("its rules are missing") from None
    players, lineup = who.get("players"), who.get("lineup")
    if not _whole(players, 2, 4) or players not in rules.players:
        raise Unreadable(f"players is {players!r:.40}")
    if not isinstance(lineup, list) or len(lineup) != players:
        raise Unreadable(f"its lineup does not name {players} strategies")
    for entrant in lineup:
        if not _is_entrant(entrant):
            raise Unreadable(f"its lineup has an entrant that is none ({entrant!r:.80})")
    if who.get("seatings") not in PLANS:
        raise Unreadable(f"seatings is {who.get('seatings')!r:.40}")
    bounds = {"seed": (0, 2**64 - 1), "stake": (1, 2**31 - 1), "engine_version": (1, 2**31 - 1)}
    for key, (least, most) in bounds.items():
        if not _whole(who.get(key), least, most):
            raise Unreadable(f"{key} is {who.get(key)!r:.40}, not {least} to {most}")


def _is_entrant(entrant: Any) -> bool:
    if not isinstance(entrant, dict):
        return False
    name, params, noise = (entrant.get(key) for key in ("name", "params", "noise"))
    code = _whole(entrant.get("version"), 1, 2**31) or isinstance(entrant.get("source"), str)
    return (
        isinstance(name, str)
        and 0 < len(name) <= MOST_NAME
        and name.isprintable()
        and isinstance(params, dict)
        and all(_number(value) for value in params.values())
        and (noise is None or (_number(noise) and 0 <= noise <= 1))
        and code
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)
