"""blackjack: the gain of the house; one player per work-item, one card per iteration."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload, persistent


def make(rng: np.random.Generator, *, players: int, hands: int) -> Data:
    """A seed a player; xorshift does not leave zero."""
    return {
        "players": players,
        "hands": hands,
        "seeds": rng.integers(1, 1 << 32, players, np.uint32),
        "net": np.full(players, -1, np.int32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the work-items share the players among them."""
    kernel = persistent(launcher, "blackjack", data["players"])
    kernel(data["players"], data["hands"], data["seeds"], data["net"])


class _Shoe:
    """Random cards for many players, each from a generator of its own."""

    def __init__(self, seeds: np.ndarray) -> None:
        self.state = seeds.copy()

    def draw(self, who: np.ndarray) -> np.ndarray:
        """The next card's value for the players `who`; the other generators stay as they are."""
        x = self.state[who]
        x ^= x << np.uint32(13)
        x ^= x >> np.uint32(17)
        x ^= x << np.uint32(5)
        self.state[who] = x
        rank = x.astype(np.uint64) * np.uint64(13) >> np.uint64(32)
        return np.minimum(rank.astype(np.int64) + 1, 10)


class _Hands:
    """The cards of many players, or of their dealers."""

    def __init__(self, n: int) -> None:
        self.hard, self.aces = np.zeros(n, np.int64), np.zeros(n, np.int64)

    def take(self, who: np.ndarray, card: np.ndarray) -> None:
        self.hard[who] += card
        self.aces[who] += card == 1

    @property
    def soft(self) -> np.ndarray:
        return (self.aces > 0) & (self.hard <= 11)

    @property
    def total(self) -> np.ndarray:
        return self.hard + 10 * self.soft


def _doubles(total: np.ndarray, soft: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Where the basic strategy doubles; an open ace counts 11 here."""
    hard = (
        (total == 9) & (up >= 3) & (up <= 6)
        | (total == 10) & (up <= 9)
        | (total == 11) & (up <= 10)
    )  # fmt: skip
    least = np.select([total <= 12, total <= 14, total <= 16, total <= 18], [99, 5, 4, 3], 99)
    return np.where(soft, (up >= least) & (up <= 6), hard)


def _hits(total: np.ndarray, soft: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Where it takes another card."""
    hard = (total <= 11) | (total == 12) & (up <= 3) | (total <= 16) & (up >= 7)
    return np.where(soft, (total <= 17) | (total == 18) & (up >= 9), hard)


def reference(data: Data) -> dict[str, np.ndarray]:
    """All players at once, hand by hand, with the strategy written as rules."""
    n = data["players"]
    shoe, net = _Shoe(data["seeds"]), np.zeros(n, np.int64)
    everyone = np.arange(n)
    for _ in range(data["hands"]):
        mine, dealer, up = _Hands(n), _Hands(n), np.zeros(n, np.int64)
        for hand in (mine, mine, dealer, dealer):
            up = shoe.draw(everyone)
            hand.take(everyone, up)
        up[up == 1] = 11
        naturals = (mine.total == 21), (dealer.total == 21)
        net += np.select([naturals[0] & naturals[1], naturals[0], naturals[1]], [0, 3, -2], 0)
        playing = ~(naturals[0] | naturals[1])
        doubling = playing & _doubles(mine.total, mine.soft, up)
        mine.take(*_dealt(shoe, doubling))
        hitting = playing & ~doubling
        while (hitting := hitting & _hits(mine.total, mine.soft, up)).any():
            mine.take(*_dealt(shoe, hitting))
        in_play = playing & (mine.total <= 21)
        while (drawing := in_play & (dealer.total < 17)).any():
            dealer.take(*_dealt(shoe, drawing))
        won = in_play & ((dealer.total > 21) | (dealer.total < mine.total))
        lost = playing & ((mine.total > 21) | ~won & (dealer.total > mine.total))
        net += (2 + 2 * doubling) * (won.astype(np.int64) - lost)
    return {"net": net.astype(np.int32)}


def _dealt(shoe: _Shoe, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    players = np.flatnonzero(who)
    return players, shoe.draw(players)


WORKLOAD = Workload(
    title="blackjack: hands by the basic strategy against the house",
    source="LWM Table 2",
    sizes={
        "tiny": {"players": 40, "hands": 5},
        "small": {"players": 1_024, "hands": 30},
        "paper": {"players": 1_024, "hands": 800},
    },
    make=make,
    launch=launch,
    reference=reference,
)
