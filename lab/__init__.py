"""Experiments: what the papers measured, measured here."""

from .experiment import Experiment, experiments, find
from .measurement import Measurement, Setup, measure

__all__ = ["Experiment", "Measurement", "Setup", "experiments", "find", "measure"]
