"""fft: a radix-2 Fourier transform, a launch a stage of butterflies."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from ..mappings import OF_LINES
from ..workload import Data, Launcher, Workload, persistent


def make(rng: np.random.Generator, *, n: int) -> Data:
    """A few tones in noise. Complex numbers lie as pairs (real, imaginary); n is a power of two."""
    time = np.arange(n) / n
    signal = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    for frequency in rng.integers(0, n, 5):
        signal += rng.uniform(0.2, 1.0) * np.exp(2j * pi * frequency * time)
    angles = [-2 * pi * k / n for k in range(max(n // 2, 1))]
    return {
        "n": n,
        "x": np.column_stack((signal.real, signal.imag)),
        "scratch": np.zeros((n, 2)),
        "root": np.array([(cos(angle), sin(angle)) for angle in angles]),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """Bit reversal, after which `x` and `scratch` change places; then a launch a stage."""
    n = data["n"]
    bits = n.bit_length() - 1
    persistent(launcher, "fft_reverse", n)(n, bits, data["x"], data["scratch"])
    data["x"], data["scratch"] = data["scratch"], data["x"]
    for stage in range(bits):
        persistent(launcher, "fft_stage", n // 2)(bits, stage, data["x"], data["root"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """Cooley and Tukey's recursion: the transforms of every other number, and one butterfly.

    Real and imaginary parts are kept apart, because NumPy may fuse a complex multiplication.
    """
    re, im = _transform(*data["x"].T, *data["root"].T)
    return {"x": np.column_stack((re, im))}


def _transform(
    re: np.ndarray, im: np.ndarray, cosine: np.ndarray, sine: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    if len(re) == 1:
        return re, im
    even_re, even_im = _transform(re[::2], im[::2], cosine[::2], sine[::2])
    odd_re, odd_im = _transform(re[1::2], im[1::2], cosine[::2], sine[::2])
    turned_re = cosine * odd_re - sine * odd_im
    turned_im = cosine * odd_im + sine * odd_re
    return (
        np.concatenate((even_re + turned_re, even_re - turned_re)),
        np.concatenate((even_im + turned_im, even_im - turned_im)),
    )


WORKLOAD = Workload(
    title="fft: radix-2 Fourier transform, a launch a stage",
    source="DWS Table 2, FFT; Splash-2",
    sizes={
        "tiny": {"n": 128},
        "small": {"n": 4_096},
        "maws": {"n": 32_768},
        "paper": {"n": 65_536},
    },
    make=make,
    launch=launch,
    reference=reference,
    mappings=OF_LINES,
    data="f64",
)
