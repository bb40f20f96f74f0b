"""Hypothesis profiles, children that can be interrupted, and which tests share a worker."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from . import quick

EVERY_ENGINE = (
    "timing/test_every_policy.py", "timing/test_programs.py", "programs/test_lessons.py",
)  # fmt: skip
"""Files whose tests take the engines of all policies; others take a few."""

SPREAD = ("tests/bench/", "tests/cli/", "tests/mutation/", "tests/viewer/")
"""Where tests are long and share no code: each goes to the worker that is free, last of all."""

# No check of times: the first example of a test may compile a kernel or an engine, and a loaded
# machine draws slowly. A test that suppresses another check names this one as well.
settings.register_profile(
    "dev",
    max_examples=50,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
# The same examples on every run and host, so that a red check is red because of the change.
settings.register_profile(
    "ci", settings.get_profile("dev"), max_examples=60, derandomize=True, database=None
)
# For a machine that has the night: fresh examples.
settings.register_profile("nightly", settings.get_profile("dev"), max_examples=5000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "dev")
)

# Hypothesis takes some numbers from the constants of the modules that are imported, and examples
# would depend on the tests that ran before in this process. It has no setting for that.
providers._get_local_constants = lambda: providers._local_constants  # which is empty

# A process started in the background ignores Ctrl-C, and so would every process that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


class _RootIsNoPackage:
    """Collects the root as a folder.

    pytest would take it for a package and import it by the name of the folder that it was cloned
    into, which may be none that Python can import, as `simtlab-main`. A plugin, since the hooks of
    this file are not asked about the folder above it.
    """

    def pytest_collect_directory(
        self, path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        if path == parent.config.rootpath:
            return pytest.Dir.from_parent(parent, path=path)
        return None


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_RootIsNoPackage())
    quick.choose(config)


@pytest.hookimpl(tryfirst=True)  # before pytest takes out what `-m` leaves out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    quick.leave_to_slow(items)


def pytest_collection_finish() -> None:
    """Take what was imported and collected out of the sight of garbage collections.

    Those of a test would go through the objects of all tests, and take a third of a second each.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    with quick.passes_for(item):
        return (yield)


# The tests of a file stay in one worker, which keeps what it has compiled; two workers that need
# the same engine would wait for each other. Units of one test cost the main process time that grows
# with their square. (Marks `xdist_group` would keep tests together too, but xdist 3.8 cannot
# see them under pytest 9.2.)
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadGroupScheduling

    class Scheduling(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            if path.endswith(EVERY_ENGINE):
                return "engines"
            return nodeid if path.startswith(SPREAD) else path

    return Scheduling(config, log)
