"""Names that an instruction may use, and the messages about unknown ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from ...isa.errors import Suggestion, did_you_mean
from ...isa.program import Param, Symbol, segment_size
from ...isa.types import Segment
from ..syntax.foreign import identity_hint
from ..syntax.shapes import Word
from ..syntax.values import Value
from ..texts.source import Mistake


@dataclass(slots=True)
class Scope:
    """What the names in a kernel mean: constants, parameters and arrays.

    `symbols` has the arrays of the kernel and the readonly ones of the program. Sizes of segments
    are in bytes; global memory has none.
    """

    constants: Mapping[str, Value]
    params: Mapping[str, Param]
    symbols: Mapping[str, Symbol]
    sizes: Mapping[Segment, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        constants: Mapping[str, Value],
        params: tuple[Param, ...],
        *segments: tuple[Symbol, ...],
    ) -> Scope:
        """Return the scope of a kernel with these parameters and the arrays of these segments."""
        end = max((p.offset + p.size for p in params), default=0)
        sizes = {Segment.KERNARG: -(-end // 8) * 8}
        sizes |= {s[0].segment: segment_size(s) for s in segments if s}
        symbols = {symbol.name: symbol for segment in segments for symbol in segment}
        return cls(constants, {p.name: p for p in params}, symbols, sizes)

    def param(self, word: Word) -> Param:
        """Return the parameter of a PARAMETER token. Raises Mistake."""
        name = word.text[1:]
        if name in self.params:
            return self.params[name]
        near = did_you_mean(word.text, (f"%{known}" for known in self.params))
        near = near or identity_hint(word.text)
        raise Mistake(
            "SIM119",
            f"the kernel has no parameter `{word.text}`",
            word.at,
            "not declared",
            near or _list("its parameters are", [f"%{known}" for known in self.params]),
            unknown=word.text,
        )

    def unknown(self, word: Word) -> Mistake:
        """Return the message for a name in brackets that is neither array nor constant."""
        name = word.text
        if name in self.params:
            return Mistake(
                "SIM117",
                f"the parameter `{name}` is written with a percent sign",
                word.at,
                f"write %{name}",
                Suggestion.of(f"did you mean `[%{name}]`?", f"%{name}"),
            )
        return Mistake(
            "SIM119",
            f"unknown name `{name}`",
            word.at,
            "neither an array nor a constant",
            did_you_mean(name, chain(self.symbols, self.constants))
            or f"declare it, as .group f32 {name}[256]",
            unknown=name,
        )


def _list(intro: str, names: list[str]) -> str:
    """Return a hint that lists the known names, or says that there are none."""
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"{intro} {shown}" if names else "it has no parameters"
