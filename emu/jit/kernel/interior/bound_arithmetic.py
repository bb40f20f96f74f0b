"""Products and extremes of bounds, which take instructions."""

from __future__ import annotations

from .bounds import ONE, Bound, Conditions, HasSteps, Terms


class BoundArithmetic:
    """Emits products and extremes: once per call if all warps have the same, else once per warp."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self._products: dict[tuple[str, str], Bound] = {}
        self._extremes: dict[tuple[str, Bound, Bound], Bound] = {}
        self._shifted: dict[tuple[Bound, int], Bound] = {}

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
        """Return the lesser or the greater of two bounds; `which` is the intrinsic of LLVM.

        Terms of the warp that both have are left out: what a row may be clamped to begins with the
        same work-item. Raises HasSteps if other ones differ from warp to warp of a row.
        """
        if a == b:
            return a
        conditions = self.conditions
        common = Bound(_common(a.warp, b.warp), step=_common(a.step, b.step))
        a, b = a.plus(common, -1), b.plus(common, -1)
        if (which, a, b) not in self._extremes:
            in_warp = bool(a.warp or b.warp or a.step or b.step)
            text, value = conditions.entry, conditions.call_value
            if in_warp:
                text, value = conditions.code, conditions.value
            operands = [f"i64 {value(x)}" for x in (a, b)]
            terms = ((text.intrinsic(which, "i64", *operands), 1),)
            self._extremes[which, a, b] = Bound(terms) if in_warp else Bound((), terms)
        return common.plus(self._extremes[which, a, b])

    def shifted(self, bound: Bound, count: int) -> Bound:
        """Return a bound shifted to the right. Raises HasSteps if it is another one in each warp.

        Scalars that are the same in all warps are shifted once.
        """
        if bound.is_constant:
            return Bound(constant=bound.constant >> count)
        if (bound, count) not in self._shifted:
            conditions, in_warp = self.conditions, bool(bound.warp or bound.step)
            text = conditions.code if in_warp else conditions.entry
            number = conditions.value(bound) if in_warp else conditions.call_value(bound)
            terms = ((text.let(f"ashr i64 {number}, {count}"), 1),)
            self._shifted[bound, count] = Bound(terms) if in_warp else Bound((), terms)
        return self._shifted[bound, count]


def _common(a: Terms, b: Terms) -> Terms:
    """Return the terms that are in both of two sums."""
    return tuple(term for term in a if term in b)
