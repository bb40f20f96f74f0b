"""Products and extremes of bounds, which take instructions."""

from __future__ import annotations

from .bounds import ONE, Bound, Conditions, HasSteps


class BoundArithmetic:
    """Emits products and extremes: once per call if all warps have the same, else once per warp."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self._products: dict[tuple[str, str], Bound] = {}

    def times(self, a: Bound, b: Bound) -> Bound:
        """Return the product of two bounds, each term of one with the whole of the other.

        Raises HasSteps if the other one is not the same in all warps of a row.
        """
        if b.step:
            raise HasSteps
        factor_of_call = self.conditions.call_value(b) if not b.warp else ""
        total = Bound()
        for name, scale in a.step:
            factor = factor_of_call or self.conditions.value(b)
            if name != ONE:
                factor = self.conditions.code.let(f"mul i64 {name}, {factor}")
            total = total.plus(Bound(step=((factor, scale),)))
        for terms, in_warp in ((a.warp, True), (a.call, False)):
            for name, scale in terms:
                if not in_warp and factor_of_call:
                    product = self._multiplied(name, factor_of_call, in_warp=False)
                else:
                    factor = factor_of_call or self.conditions.value(b)
                    product = self._multiplied(name, factor, in_warp=True)
                    self._note_growth(product, name, b, in_warp=in_warp)
                total = total.plus(product, scale)
        return total.plus(b, a.constant)

    def _multiplied(self, a: str, b: str, *, in_warp: bool) -> Bound:
        if (a, b) not in self._products:
            text = self.conditions.code if in_warp else self.conditions.entry
            terms = ((text.let(f"mul i64 {a}, {b}"), 1),)
            self._products[a, b] = Bound(terms) if in_warp else Bound((), terms)
        return self._products[a, b]

    def _note_growth(self, product: Bound, name: str, factor: Bound, *, in_warp: bool) -> None:
        """Note by what a product grows from row to row, if one factor is the same in all warps."""
        conditions = self.conditions
        if in_warp and factor.warp:
            return
        of_warp = ((name, 1),) if in_warp else factor.warp
        of_call = conditions.call_value(factor) if in_warp else name
        growth = conditions.growth(of_warp)
        if growth not in (None, "0"):
            growth = conditions.entry.let(f"mul i64 {growth}, {of_call}")
        if growth is not None:
            conditions.grows(product.warp[0][0], growth)

    def extreme(self, which: str, a: Bound, b: Bound) -> Bound:
        """Return the lesser or the greater of two bounds; `which` is the intrinsic of LLVM."""
        if a == b:
            return a
        conditions = self.conditions
        if a.warp or b.warp or a.step or b.step:
            operands = (f"i64 {conditions.value(x)}" for x in (a, b))
            return Bound(((conditions.code.intrinsic(which, "i64", *operands), 1),))
        operands = (f"i64 {conditions.call_value(x)}" for x in (a, b))
        return Bound((), ((conditions.entry.intrinsic(which, "i64", *operands), 1),))
