"""Branches whose outcomes are listed, for code in which no instruction computes them.

The loops of the papers' figures have only the instructions that the figure names. A condition
register of such a scenario holds a lane's next outcome, and the list gives the one after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from simtlab.timing.simulation.simulator import Simulator


def first_masks(outcomes: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the masks that condition registers begin with."""
    return {register: masks[0] for register, masks in outcomes.items()}


def list_outcomes(
    undo: ExitStack, sim: Simulator, condition_at: Mapping[int, str],
    outcomes: Mapping[str, Sequence[str]],
) -> None:  # fmt: skip
    """Let lanes take branches as `outcomes` says, execution by execution; a last mask repeats.

    `condition_at` has the condition register of the branch at each PC. The engine is the plain one.
    """
    space = vars(sim.composition.namespace)
    branch = space["branch"]
    executed: Counter[tuple[str, int]] = Counter()

    def listed(S: Any, w: int, g: int, t: int) -> int:
        rows = sim.state.rows
        group = rows["group"][g]
        segment, warp, mask = rows["seg"][group["seg"]], int(group["warp"]), int(group["mask"])
        register = condition_at[int(segment["last_pc"])]
        place = int(rows["warp"]["block"][warp]) + int(segment["cond_row"])
        continues = branch(S, w, g, t)
        word = space["word64"](place, 0)
        for lane in range(sim.width):
            if mask >> lane & 1:
                item = warp * sim.width + lane
                executed[register, item] += 1
                masks = outcomes[register]
                following = masks[min(executed[register, item], len(masks) - 1)][item]
                word = word & ~(1 << lane) | int(following) << lane
        space["put64"](place, 0, word)
        return continues

    undo.enter_context(patch.dict(space, branch=listed))
