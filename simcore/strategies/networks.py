"""The weights of `net`: what they are, and files of them.

A network values the position after a play: many inputs that are there or not (INPUTS), a first
layer of WIDTH sums of whole numbers, a second one of HIDDEN, one output. All numbers are integers,
so that it says the same on every machine. A file is a NumPy archive (.npz) with one array for each
field of NETWORK and a text `about` in JSON; reading it executes nothing. `bigtwo train` makes
one; those that ship lie in strategies/weights/.
"""

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from simcore.errors import InputError, shown
from simcore.game.kinds import KINDS
from simcore.game.rule_format import MOST_STRAIGHTS
from simcore.game.ruleset import RuleSet
from simcore.strategies.parameters import places
from simcore.strategies.weights import SHIPPED, weights_file

MOST_HAND = 19  # counts of cards from 0 on; larger hands count as the last
COUNT = 14  # counts of other things from 0 on
N_KINDS = len(KINDS)
# What an input says, and how many there are of it: the same whatever is played …
SHARED = {
    "always": 1,
    "unseen": 52,  # a card that one has neither seen nor holds
    "players": 3,
    "cards": 3 * MOST_HAND,  # of each opponent, the next in turn first
    "least": MOST_HAND,  # cards of the opponent with the fewest
    "unseen_pairs": COUNT,  # ranks with at least two unseen cards
    "unseen_triples": COUNT,
    "locked": 3,  # which opponents are locked out of the trick
}
# … of each card that is kept …
CARD = {
    "card": 52,
    "above": 40,  # unseen cards that are higher
}
# … and of what is kept together, and of the play or the pass.
PLAY = {
    "count": MOST_HAND,
    "pair": 13,  # ranks held at least twice, three times, four times
    "triple": 13,
    "four": 13,
    "pair_above": COUNT,  # of such a rank: higher ranks with two, three unseen cards
    "triple_above": COUNT,
    "plays": COUNT,  # estimated least number of plays
    "lone": COUNT,  # ranks that are then played alone
    "lone_rank": 13,
    "lone_above": 40,  # of each: unseen cards that are higher
    "own_pair": 13,  # ranks then held twice, three times
    "own_pair_above": COUNT,
    "own_triple": 13,
    "fives": 6,  # straights and flushes then, and full houses
    "boss": COUNT,  # cards that no unseen card beats
    "near": COUNT,  # cards that one or two unseen cards beat
    "needs": COUNT,  # plays, less those of lone cards that no unseen card beats
    "top_pairs": COUNT,  # pairs that no unseen pair beats
    "weak": COUNT,  # lone ranks from 3 to 7
    "middle": COUNT,  # lone ranks from 8 to Q
    "straight": MOST_STRAIGHTS,
    "suit": 4,  # suits held at least five times
    "made": N_KINDS * 13,  # the play's kind and height
    "made_stands": N_KINDS,  # no unseen cards beat it
    "made_above": 40,  # of a single: unseen cards that are higher
    "made_above_pair": COUNT,  # of a pair: higher ranks with two unseen cards
    "leads_on": 1,  # everybody else is locked out
    "left": N_KINDS * 13,  # after a pass: the standing play's kind and height
    "left_stands": N_KINDS,
    "left_above": 40,
    "left_above_pair": COUNT,
    "left_by": 3 * N_KINDS,
    "yields": 1,  # a pass that gives the lead to the maker of the standing play
}
INPUTS = SHARED | CARD | PLAY
N_INPUTS = sum(INPUTS.values())
WIDTH, HIDDEN = 256, 32
# Scales of whole numbers: weights and sums of the first layer, weights of the second and third.
SCALES = (2**9, 2**8, 2**11)
ACTIVE = 16  # a sum counts from 0 up to this; 16 bits hold four times that

NETWORK_FILE = ".npz"
FORMAT = 1
LARGEST = 4_000_000  # bytes of a file
NETWORK = np.dtype(
    [
        ("first", np.int16, (N_INPUTS, WIDTH)),
        ("second", np.int16, (HIDDEN, WIDTH)),
        ("second_bias", np.int32, (HIDDEN,)),
        ("third", np.int16, (HIDDEN,)),
        ("third_bias", np.int32),
        ("unit", np.float64),  # payoff, at stake 1, that an output of 1 stands for
    ],
    align=True,
)


def _starts() -> Any:
    """The first place of each of INPUTS, as constants for kernels: `AT.unseen`."""
    found = places(INPUTS)
    sizes = list(INPUTS.values())
    return type(found)(*(sum(sizes[:i]) for i in range(len(sizes))))


AT = _starts()


@dataclass(frozen=True)
class Network:
    """Weights in one record, with what is known of them."""

    data: Any  # records NETWORK[1], read-only
    about: str  # JSON: format, rules, players, how it was made

    @cached_property
    def hash(self) -> str:
        """16 hex digits over all weights; what a run knows them by."""
        parts = (np.ascontiguousarray(self.data[0][name]).tobytes() for name in NETWORK.names or ())
        return hashlib.sha256(b"".join(parts)).hexdigest()[:16]

    @property
    def rules(self) -> str:
        """The rule set that it was trained for."""
        return str(json.loads(self.about).get("rules", ""))

    @property
    def made(self) -> list[dict[str, Any]]:
        """How it was made, the first training first."""
        return list(json.loads(self.about).get("made", []))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)


def network(fields: dict[str, Any], about: dict[str, Any]) -> Network:
    """Weights from arrays by name, one for each field of NETWORK."""
    data = np.zeros(1, NETWORK)
    for name in NETWORK.names or ():
        data[name][0] = fields[name]
    data.flags.writeable = False
    return Network(data, json.dumps({"format": FORMAT, **about}, sort_keys=True))


def write_network(network: Network, path: Path) -> None:
    """Write a file of weights, whole or not at all."""
    data = network.data[0]
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {name: np.asarray(data[name]) for name in NETWORK.names or ()}
    np.savez_compressed(buffer, about=np.array(network.about), **arrays)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_bytes(buffer.getvalue())
    temporary.replace(path)


def read_network(file: str | Path) -> Network:
    """The weights in a file. Raises InputError for one that is none, or is of another shape."""
    path, what = Path(file), f"network file {shown(str(file))}"
    try:
        if not path.is_file():
            raise InputError(f"{what} does not exist; `bigtwo train` makes one")
        if path.stat().st_size > LARGEST:
            raise InputError(f"{what} has more than {LARGEST:,} bytes, so it is none")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{what} cannot be read ({error.strerror}); check the path") from None
    try:
        return _network_of(content)
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile, zipfile.LargeZipFile) as e:
        reason = " ".join(str(e).split())[:200]
        raise InputError(f"{what} is none ({reason}); `bigtwo train` makes one") from None


def _network_of(content: bytes) -> Network:
    """Raises ValueError and others for what is no network."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:  # bounds first: it may be a bomb
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    for name in NETWORK.names or ():
        _, (shape, kind) = name, (NETWORK[name].shape, NETWORK[name].base)
        there, due = sizes.get(f"{name}.npy", -1), kind.itemsize * int(np.prod(shape))
        if not due < there <= due + 4096:
            raise ValueError(f"{name} takes {there} bytes" if there >= 0 else f"{name} is missing")
    if not 0 < sizes.get("about.npy", -1) < LARGEST:
        raise ValueError("about is missing")
    fields = {}
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        for name in NETWORK.names or ():
            shape, kind = NETWORK[name].shape, NETWORK[name].base
            array = arrays[name]
            if array.shape != shape or array.dtype != kind:
                raise ValueError(
                    f"{name} is {array.dtype} of shape {array.shape}, due is {kind} of {shape}"
                )
            fields[name] = array
        about = json.loads(str(arrays["about"][()]))
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError("it is of another format")
    if not isinstance(about.get("rules"), str) or not isinstance(about.get("made", []), list):
        raise ValueError("about names no rules")
    unit = float(fields["unit"])
    if not (np.isfinite(unit) and 0 < unit < 1e9):
        raise ValueError(f"its unit is {unit}")
    del about["format"]
    return network(fields, about)


@lru_cache(maxsize=256)
def network_for(rules: RuleSet) -> Network:
    """The weights that ship for a rule set, or for its nearest relative. Raises InputError."""
    path = weights_file("net", rules, NETWORK_FILE)
    if path is None:
        raise InputError("no network ships; give net:weights=FILE, which `bigtwo train` makes")
    return read_network(path)


def network_by_hash(wanted: str) -> Network | None:
    """Among the weights that ship, those of a hash."""
    for path in sorted(SHIPPED.glob(f"net-*{NETWORK_FILE}")):
        if (found := read_network(path)).hash == wanted:
            return found
    return None
