"""Days since 1970 as year, month and day, and the weekday: divisions by constants."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 18}
SMALL = {"n": 500}


def make(rng, n):
    arrays = {
        "days": rng.integers(0, 60_000, n).astype(np.uint32),
        "date": np.zeros(n, np.uint32),
        "weekday": np.zeros(n, np.uint8),
    }
    launch = Launch("calendar", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("date", "weekday"))


def answer(problem):
    days = problem.arrays["days"]
    date = np.datetime64("1970-01-01") + days.astype(int)
    months = date.astype("datetime64[M]")
    year = months.astype("datetime64[Y]").astype(int) + 1970
    month = months.astype(int) % 12 + 1
    day = (date - months.astype("datetime64[D]")).astype(int) + 1
    return {
        "date": (year * 10000 + month * 100 + day).astype(np.uint32),
        "weekday": ((days + 3) % 7).astype(np.uint8),
    }
