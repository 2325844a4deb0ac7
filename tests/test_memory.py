"""Memory of a run is flat in the number of deals: sampled throughout, in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIMIT_MB = 600

CODE = """
import sys, threading, time
from pathlib import Path
from simcore import simulate

def resident():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(x for x in lines if x.startswith("VmRSS")).split()[1]) / 1024

samples, over = [], threading.Event()
def watch():
    while not over.wait(0.05):
        samples.append(resident())

threading.Thread(target=watch, daemon=True).start()
started = time.monotonic()
run = simulate("douque", "random,lowest,dump,highest", int(sys.argv[2]), seed=1, out=sys.argv[1])
seconds = time.monotonic() - started
over.set()
half = samples[len(samples) // 2 :]
early = max(samples[len(samples) // 4 : len(samples) // 2])
print(max(samples), early, max(half), run.summary.playouts / seconds)
"""


def sampled(folder: Path, deals: int) -> tuple[float, float, float]:
    """(peak, peak of the second quarter, peak of the second half) in MB."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(folder), str(deals)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    peak, early, late, rate = (float(x) for x in done.stdout.split())
    print(
        f"{4 * deals:,} playouts: peak {peak:.0f} MB, early {early:.0f}, late {late:.0f}; "
        f"{rate:,.0f}/s"
    )
    return peak, early, late


def test_memory_of_two_million_playouts(tmp_path: Path) -> None:
    peak, _, _ = sampled(tmp_path / "run", 500_000)
    assert peak < LIMIT_MB


@pytest.mark.slow
def test_memory_of_twenty_million_playouts_is_flat(tmp_path: Path) -> None:
    peak, early, late = sampled(tmp_path / "run", 5_000_000)
    assert peak < LIMIT_MB
    assert late < early + 50
