"""Kernels written down as control flow only, one word a line, for tests of the graph passes."""

from __future__ import annotations

from hypothesis import strategies as st

from simtlab.asm.draft import DraftInstruction, DraftKernel, Join
from simtlab.isa import BY_NAME, Location, Reg, RegClass, Span
from simtlab.isa.types import U32


def draft(text: str) -> DraftKernel:
    """A kernel from lines `alu`, `cbr @a [@join|none]`, `br @a`, `rcv`, `ret`, with labels `a:`.

    Addresses in hexadecimal serve as labels too, as the papers' scenarios use them: `@28`.
    """
    lines = [line.split("//")[0].split() for line in text.strip().splitlines()]
    labels: dict[str, int] = {}
    code: list[list[str]] = []
    for words in lines:
        while words and words[0].endswith(":"):
            labels[words.pop(0)[:-1]] = len(code)
        if words:
            code.append(words)

    def place(word: str) -> int:
        name = word.removeprefix("@")
        return labels[name] if name in labels else int(name, 16) // 8

    kernel = DraftKernel("k", Span("k.sasm", 1, 1))
    kernel.labels = labels
    for pc, words in enumerate(code):
        kernel.code.append(_instruction(pc, words, place))
    return kernel


def _instruction(pc: int, words: list[str], place) -> DraftInstruction:
    span = Span("k.sasm", pc + 1, 5, len(" ".join(words)), "    " + " ".join(words))
    names = {"alu": "add_u32", "rcv": "reconverge"}
    row = BY_NAME[names.get(words[0], words[0])]
    ins = DraftInstruction(row, span, Location(0, pc + 1, 5))
    if words[0] == "alu":
        s0 = Reg(RegClass.S, 0)
        assert row.type is U32
        ins.dst, ins.srcs = s0, (s0, s0)
    if row.is_branch:
        ins.target = place(words[1])
    if row.is_conditional:
        ins.srcs = (Reg(RegClass.C, 0),)
        if len(words) > 2 and words[2] == "none":
            ins.join = Join.NONE
        elif len(words) > 2:
            ins.join = place(words[2])
            ins.join_span = Span("k.sasm", pc + 1, 15, len(words[2]), span.source)
    return ins


def shown(kernel: DraftKernel) -> list[str]:
    """The code in the notation of `draft`, with joins."""
    names = {"add_u32": "alu", "reconverge": "rcv"}
    lines = []
    for ins in kernel.code:
        words = [names.get(ins.row.name, ins.row.name)]
        if ins.target is not None:
            words.append(f"@{ins.target * 8:02x}")
        if isinstance(ins.join, int):
            words.append(f"@{ins.join * 8:02x}")
        elif ins.join is Join.NONE:
            words.append("none")
        lines.append(" ".join(words))
    return lines


jumping_code = st.integers(2, 12).flatmap(
    lambda n: st.lists(
        st.one_of(
            st.just("alu"),
            st.builds(
                "{} @{:x}".format,
                st.sampled_from(["br", "cbr", "cbr"]),
                st.integers(0, n).map(lambda i: 8 * i),
            ),
        ),
        min_size=n,
        max_size=n,
    )
)
"""Lines of code for `draft` with any jumps at all; a `ret` is still to follow."""
