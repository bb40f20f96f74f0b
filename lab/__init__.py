"""Experiments and sweeps: runs, the store of their results, the papers' tables."""

from .experiment import Experiment, experiments, find
from .runs.execute import simulate_run
from .runs.result import Failure, Result, RunOutcome
from .runs.run import KernelLaunch, Run
from .store import Store

__all__ = [
    "Experiment",
    "Failure",
    "KernelLaunch",
    "Result",
    "Run",
    "RunOutcome",
    "Store",
    "experiments",
    "find",
    "simulate_run",
]
