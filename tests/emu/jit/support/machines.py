"""Random machines: kernels whose lanes interpret words of a program, and such programs."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

WORDS = 16
"""Words of a work-item's program."""

TYPES = (("u32", 4), ("u32", 4), ("u16", 2), ("u8", 1), ("u64", 8))


@dataclass
class Machine:
    """The text of a kernel, and the operations that its dispatch knows."""

    rng: random.Random

    def __post_init__(self) -> None:
        rng = self.rng
        self.elements = rng.choice((4, 7, 8, 8, 16))
        first, step = rng.choice(((0, 1), (0, 1), (3, 2), (0xFFFFFFFE, 1), (100, 3)))
        count = rng.randint(4, 8)
        self.operations = [(first + step * i) & 0xFFFFFFFF for i in range(count)]
        rng.shuffle(self.operations)

    def text(self) -> str:
        """Return the kernel."""
        rng = self.rng
        tests, cases = [], []
        ends = rng.random() < 0.5
        for at, operation in enumerate(self.operations):
            tests.append(f"cmp_eq_{rng.choice(('u32', 's32'))} $c0, $s8, {operation}")
            target = rng.choice((f"case{at}",) * 8 + ("next" if ends else "step",))
            tests.append(f"cbr $c0, @{target}")
            if target.startswith("case"):
                cases.append(f"@{target}:\n{self._case()}\n br @{'next' if ends else 'step'}")
        again = "next" if ends else "step"
        if len(cases) > 2 and rng.random() < 0.4:
            cases.append(self._inner([case[1 : case.index(":")] for case in cases] + [again]))
            tests.insert(0, f"cmp_eq_u32 $c0, $s8, {self.operations[0] ^ 1}\ncbr $c0, @inner")
        at_next = "add_u32 $s4, $s4, 1\n cmp_gt_u32 $c0, $s4, 25\n cbr $c0, @end"
        extra = self._access() if rng.random() < 0.3 else ""
        arrays = f".private u8 other[{8 * self.elements}]\n" if rng.random() < 0.5 else ""
        lines = "\n".join
        return f"""
kernel machine(global u32* %x, global u32* %code, u32 %n) {{
    .private u64 regs[{self.elements}]
    {arrays}
    workitemflatabsid_u32 $s0
    ld_kernarg_u32 $s20, [%n]
    cmp_ge_u32 $c0, $s0, $s20
    cbr $c0, @out
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_kernarg_u64 $d2, [%code]
    mad_u64 $d2, $d0, {4 * WORDS}, $d2
    st_private_u32 $s0, [regs+8]
    mov_u32 $s3, 0
    mov_u32 $s4, 0
@step:
    {extra}
    and_u32 $s5, $s3, {rng.choice((15, 15, 31))}
    cvt_u64_u32 $d3, $s5
    mad_u64 $d3, $d3, 4, $d2
    ld_global_u32 $s9, [$d3]
    bitextract_u32 $s10, $s9, 8, 8
    bitextract_u32 $s11, $s9, 16, 8
    shr_u32 $s12, $s9, 24
    and_u32 $s8, $s9, 255
    {rng.choice(("", f"add_u32 $s8, $s8, {self.operations[0] & 0xFFFFFF00}"))}
    {f"add_u32 $s8, $s8, {min(self.operations)}"}
    add_u32 $s3, $s3, 1
    {"" if ends else at_next}
    {lines(tests)}
    br @end
    {lines(cases)}
@next:
    {at_next if ends else ""}
    br @step
@end:
    ld_private_u32 $s2, [regs]
    mad_u32 $s2, $s4, 1000, $s2
    st_global_u32 $s2, [$d1]
@out:
    ret
}}"""

    def _inner(self, targets: list[str]) -> str:
        """Return a case that compares another value."""
        values = self.rng.sample(range(8), self.rng.randint(3, 6))
        lines = [f"@inner:\n and_u32 $s16, {self.rng.choice(('$s12', '$s13'))}, 7"]
        for value in values:
            target = self.rng.choice(targets)
            lines.append(f"cmp_eq_u32 $c0, $s16, {value}\ncbr $c0, @{target}")
        return "\n".join([*lines, f"br @{self.rng.choice(targets)}"])

    def _case(self) -> str:
        rng = self.rng
        found = [self._access() for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.3:
            found.append("and_u32 $s3, $s13, 7")
        if rng.random() < 0.1:
            found.insert(rng.randrange(len(found)), "div_u32 $s13, $s13, $s12")
        if rng.random() < 0.15:
            found.insert(rng.randrange(len(found)), "ld_global_u32 $s13, [$d3+4]")
        return "\n".join(found)

    def _access(self) -> str:
        """Return an access at a place made of a field of the word, of data or of the pc."""
        rng = self.rng
        type_, size = rng.choice(TYPES)
        field = rng.choice(("$s10", "$s11", "$s12", "$s3", "$s13"))
        inside = 3 if self.elements < 8 else 7
        mask = rng.choice((*[min(inside, self.elements // 2)] * 12, inside, self.elements, 255))
        amount = rng.choice((*[3] * 20, 2))
        is_small = field in ("$s10", "$s11", "$s12") and rng.random() < 0.5
        lines = [] if is_small else [f"and_u32 $s14, {field}, {mask}"]
        lines.append(f"shl_u32 $s14, {'$s14' if lines else field}, {amount}")
        data = "$d5" if size == 8 else "$s13"
        offset = rng.choice((*[""] * 20, "+8", "-8", "+4"))
        what = rng.choice(("ld", "ld", "st"))
        lines.append(f"{what}_private_{type_} {data}, [regs+$s14{offset}]")
        if what == "ld" and rng.random() < 0.5:
            lines.append("mad_u32 $s13, $s13, 5, $s12")
        return "\n".join(lines)

    def programs(self, seed: int, large: float) -> np.ndarray:
        """Return a program for each of 64 work-items, with a part of large operands."""
        rng = np.random.default_rng(seed)
        words = rng.integers(0, 4, (64, WORDS, 4)).astype(np.uint32)
        wide = rng.random(words.shape) < large
        words[wide] = rng.integers(0, 256, int(wide.sum()))
        operations = [(o - min(self.operations)) & 255 for o in self.operations]
        words[..., 0] = rng.choice([*operations, operations[0] ^ 1, 254], words.shape[:2])
        return words[..., 0] | words[..., 1] << 8 | words[..., 2] << 16 | words[..., 3] << 24
