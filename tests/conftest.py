"""Settings of the test run: reproducible examples, and the switch that rewrites golden files."""

import pytest
from hypothesis import settings

from simcore.runs import planning
from simcore.runs.executors import compile_engine
from simcore.simulation.setup import make_setup

settings.register_profile("reproducible", deadline=None, derandomize=True, database=None)
settings.load_profile("reproducible")


def pytest_configure(config: pytest.Config) -> None:
    # Strategies are first-class functions, which numba announces on every compilation.
    config.addinivalue_line(
        "filterwarnings", "ignore::numba.core.errors.NumbaExperimentalFeatureWarning"
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden/*.json from what the engine plays now",
    )


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output as into a file, whatever the terminal of the test run."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """Compile once, so that no test has to wait for it, and no command remarks on it."""
    compile_engine(make_setup("douque", "random"))


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of some hundred rows, so that a short run has many."""
    monkeypatch.setattr(planning, "PART_ROWS", 800)
    monkeypatch.setattr(planning, "MIN_PART_ROWS", 800)
