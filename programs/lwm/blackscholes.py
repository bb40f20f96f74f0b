"""blackscholes: prices of options, arithmetic between coalesced loads and stores."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

from ..workload import Data, Launcher, Workload, persistent


def make(rng: np.random.Generator, *, n: int) -> Data:
    """Options whose strike is within a quarter of the stock's price, for half a year to four.

    Of those that are all but certain to be worthless no price has significant digits in f32.
    """
    stock = rng.uniform(5, 100, n).astype(np.float32)
    return {
        "n": n,
        "rate": 0.02,
        "volatility": 0.3,
        "stock": stock,
        "strike": stock * rng.uniform(0.8, 1.25, n).astype(np.float32),
        "years": rng.uniform(0.5, 4, n).astype(np.float32),
        "call": np.zeros(n, np.float32),
        "put": np.zeros(n, np.float32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the work-items share the options among them."""
    persistent(launcher, "blackscholes", data["n"])(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """The formula in f64 with the error function; the put by put-call parity."""
    stock, strike, years = (data[name].astype(np.float64) for name in ("stock", "strike", "years"))
    rate, volatility = data["rate"], data["volatility"]
    spread = volatility * np.sqrt(years)
    d1 = np.log(stock / strike) / spread + (rate / volatility + volatility / 2) * np.sqrt(years)
    worth = strike * np.exp(-rate * years)
    call = stock * _normal(d1) - worth * _normal(d1 - spread)
    put = call - stock + worth
    return {"call": call.astype(np.float32), "put": put.astype(np.float32)}


def _normal(d: np.ndarray) -> np.ndarray:
    return np.array([0.5 + 0.5 * erf(v) for v in (d / sqrt(2)).tolist()])


WORKLOAD = Workload(
    title="blackscholes: prices of European options",
    source="LWM Table 2; V. Podlozhnyuk, Black-Scholes option pricing (CUDA SDK, 2007)",
    sizes={"tiny": {"n": 400}, "small": {"n": 50_000}, "paper": {"n": 1_600_000}},
    make=make,
    launch=launch,
    reference=reference,
    rtol=1e-4,  # a price is the difference of two terms; the polynomial is 7.5e-8 off at most
)
