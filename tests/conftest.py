"""Settings for every test."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

# No test may fail because the machine was busy; on CI the examples are the same every time.
settings.register_profile("project", deadline=None, max_examples=50, derandomize=bool(os.environ.get("CI")))
settings.load_profile("project")

# Many small fits, for which compiling takes longer than interpreting: `make test` runs these folders and files under
# NUMBA_DISABLE_JIT=1, except for tests marked `compiled`. What is above the driver has no kernels of its own; the
# commands of the documentation, the examples and the estimators run it as machine code.
INTERPRETED = (
    "bounds",
    "certificates/test_own_losses.py",
    "chains/features",
    "cli",
    "data/sequences",
    "evaluation",
    "inference",
    "matrices",
    "model_file",
    "models",
    "report",
)
TESTS = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    for item in items:
        is_listed = any(item.path.is_relative_to(TESTS / place) for place in INTERPRETED)
        if is_listed and item.get_closest_marker("compiled") is None:
            item.add_marker(pytest.mark.interpreted)


def pytest_collection_finish():
    """Compiling makes many objects that live on: looking through them all for cycles was a seventh of its time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
