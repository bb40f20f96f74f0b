"""Values that some instructions influence: through operands, and through branches that decide.

Influence spreads as variation from lane to lane does (uniformity.py): through operands, where the
sides of an influenced branch join, and where an influenced condition leaves a loop.
"""

from __future__ import annotations

from ..facts import Facts
from ..values.ssa import Op, Phi, Ssa, Value
from .joins import join_nodes
from .uniformity import Shapes

_ALONE = Facts(1, (1, 1, 1), whole=False)


class Influence(Shapes):
    """The values of a kernel that its sources influence, as `varying`; none unless overridden."""

    def __init__(self, ssa: Ssa) -> None:
        super().__init__(ssa, _ALONE)

    def is_source(self, op: Op) -> bool:
        """Return whether an instruction makes an influenced value of operands that are not."""
        return False

    def join_nodes(self, branch: int) -> set[int]:
        """Return the nodes at which the sides of a branch join."""
        return join_nodes(self.flow, self._postdominators, branch)

    def _varies(self, value: Value) -> bool:
        if isinstance(value, Phi):
            return super()._varies(value)
        assert isinstance(value, Op)
        return self.is_source(value) or any(arg in self.varying for arg in value.args)
