"""The plots of a report, where it has some: without plotting packages, each is None."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class _Charts:
    """Stands for analyses.report.charts."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        try:
            module: ModuleType = import_module(f"{__package__}.charts")
        except ImportError:
            return lambda *given, **named: None
        found: Callable[..., Any] = getattr(module, name)
        return found


if TYPE_CHECKING:
    from analyses.report import charts as charts
else:
    charts = _Charts()
