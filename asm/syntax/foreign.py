"""Words of CUDA, OpenCL and PTX with their equivalents here, for hints."""

from __future__ import annotations

import re

from ...isa.errors import Suggestion
from ...isa.table import BY_NAME
from ..texts.source import Mistake
from .shapes import Word

_IDENTITIES = {
    "get_global_id": "workitemabsid_u32",
    "get_local_id": "workitemid_u32",
    "get_group_id": "workgroupid_u32",
    "get_local_size": "currentworkgroupsize_u32",
    "get_enqueued_local_size": "workgroupsize_u32",
    "get_global_size": "gridsize_u32",
    "get_num_groups": "gridgroups_u32",
    "threadIdx": "workitemid_u32",
    "blockIdx": "workgroupid_u32",
    "blockDim": "workgroupsize_u32",
    "gridDim": "gridgroups_u32",
    "tid": "workitemid_u32",
    "ctaid": "workgroupid_u32",
    "ntid": "workgroupsize_u32",
    "nctaid": "gridgroups_u32",
}
"""By word for an identity with a dimension: the instruction that reads it here."""

_SCALARS = {
    "get_global_linear_id": "workitemflatabsid_u32",
    "get_local_linear_id": "workitemflatid_u32",
    "get_sub_group_local_id": "laneid_u32",
    "get_sub_group_id": "waveid_u32",
    "get_sub_group_size": "wavesize_u32",
    "warpSize": "wavesize_u32",
    "laneid": "laneid_u32",
    "warpid": "waveid_u32",
    "clock64": "clock_u64",
}
"""By word for an identity without a dimension: the instruction that reads it here."""

_INSTRUCTIONS = {
    **dict.fromkeys(("__syncthreads", "syncthreads", "bar.sync", "s_barrier"), "barrier"),
    **dict.fromkeys(("work_group_barrier", "__syncwarp"), "barrier"),
    **dict.fromkeys(("__threadfence", "membar.gl", "fence", "mem_fence"), "memfence"),
    **dict.fromkeys(("return", "exit"), "ret"),
    **dict.fromkeys(("bra", "goto", "jmp", "jump"), "br"),
    **dict.fromkeys(("if", "while", "for"), "cbr"),
    **dict.fromkeys(("__trap", "assert"), "trap"),
    **dict.fromkeys(("atomicAdd", "atomic_inc", "atomicInc"), "atomic_add_global_u32"),
    **dict.fromkeys(("atomicSub", "atomic_dec", "atomicDec"), "atomic_sub_global_u32"),
    **dict.fromkeys(("atomicMin", "atomic_min"), "atomic_min_global_u32"),
    **dict.fromkeys(("atomicMax", "atomic_max"), "atomic_max_global_u32"),
    **dict.fromkeys(("atomicExch", "atomic_xchg"), "atomic_exch_global_u32"),
    **dict.fromkeys(("atomicCAS", "atomic_cmpxchg"), "atomic_cas_global_u32"),
    "atomicAnd": "atomic_and_global_u32",
    "atomicOr": "atomic_or_global_u32",
    "atomicXor": "atomic_xor_global_u32",
    **dict.fromkeys(("__ballot", "__ballot_sync", "__activemask"), "activelanemask_u64"),
    **dict.fromkeys(("__any", "__any_sync"), "activelaneany_b1"),
    **dict.fromkeys(("__all", "__all_sync"), "activelaneall_b1"),
    **dict.fromkeys(("__shfl", "__shfl_sync"), "activelanepermute_u32"),
    **dict.fromkeys(("__popc", "popc", "popcnt", "ctpop"), "popcount_u32"),
    **dict.fromkeys(("bitcount", "bit_count", "countbits"), "popcount_u32"),
    **dict.fromkeys(("__clz", "clz"), "clz_u32"),
    **dict.fromkeys(("sqrtf", "rsqrtf", "sinf", "cosf", "exp2f", "log2f"), ""),
    **{"fmaf": "fma_f32", "fabsf": "abs_f32", "fminf": "min_f32", "fmaxf": "max_f32"},
    **{"setp": "cmp_lt_u32", "selp": "select_u32"},
}
"""What other languages call an instruction; nothing where it is the word without its last f."""

_SEQUENCES = {
    **dict.fromkeys(
        ("rotl", "rotr", "rol", "ror", "rotate", "shf"),
        "a rotation by n is shl by n, shr by 32 (or 64) less n, and or",
    ),
    **dict.fromkeys(
        ("ctz", "cttz", "ffs", "__ffs"),
        "and_u32 of x and its neg_s32 has the lowest one bit alone; its number is 31 less clz_u32",
    ),
    **dict.fromkeys(("mod", "fmod", "modulo"), "the remainder of integers is rem, as in rem_u32"),
    "exp": "e to x is 2 to 1.442695 x: mul_f32, then exp2_f32",
    **dict.fromkeys(("log", "ln"), "ln x is 0.6931472 log2 x: log2_f32, then mul_f32"),
    "pow": "x to y is 2 to y log2 x: log2_f32, mul_f32, exp2_f32",
    "tan": "tan x is sin x divided by cos x: sin_f32, cos_f32, div_f32",
    "tanh": "compute it from 2 to x: exp2_f32",
    **dict.fromkeys(
        ("beq", "bne", "blt", "ble", "bgt", "bge", "beqz", "bnez"),
        "a compare and a branch do it: cmp_eq_u32 $c0, $s0, $s1, then cbr $c0, @label",
    ),
    **dict.fromkeys(
        ("lw", "load", "sw", "store"),
        "accesses name their memory and type: ld_global_f32 $s0, [$d0], st_global_f32 $s0, [$d0]",
    ),
    **dict.fromkeys(("inc", "dec"), "add 1, or subtract it: add_u32 $s0, $s0, 1"),
    "call": "there are no calls: a .macro is put where it is used",
    **dict.fromkeys(
        ("print", "printf"),
        "kernels print nothing: store the value, or look at it with `simtlab debug`",
    ),
    **dict.fromkeys(("fms", "fnma", "fnms", "msub"), "negate an operand of fma first: neg_f32"),
}
"""By name of an operation that takes several instructions here, without its type: these."""

_DECLARATIONS = {
    **dict.fromkeys(("__shared__", "__local", "local", "shared"), ".group f32 tile[256]"),
    **dict.fromkeys(("__private", "private"), ".private f32 stack[16]"),
    **dict.fromkeys(("__constant__", "__constant", "constant"), ".readonly f32 table[4] = { 1.0 }"),
    **dict.fromkeys(("__global__", "__kernel"), "kernel name(u32 %n, global f32* %x) {"),
    **dict.fromkeys(("#define", "constexpr"), ".const N = 5"),
}
"""By word of another language before a declaration: a declaration as it is written here."""

TYPES = {
    **dict.fromkeys(("int", "int32_t"), "s32"),
    **dict.fromkeys(("uint", "unsigned", "uint32_t", "size_t"), "u32"),
    **{"long": "s64", "int64_t": "s64", "ulong": "u64", "uint64_t": "u64"},
    **{"short": "s16", "int16_t": "s16", "ushort": "u16", "uint16_t": "u16"},
    **{"char": "s8", "int8_t": "s8", "uchar": "u8", "uint8_t": "u8", "bool": "u8"},
    **{"float": "f32", "double": "f64", "b32": "u32", "b64": "u64"},
    **{f"i{bits}": f"s{bits}" for bits in (8, 16, 32, 64)},
    **{f"{long}{bits}": f"{short}{bits}" for long, short in (("int", "s"), ("uint", "u"))
       for bits in (8, 16, 32, 64)},
    **{"float32": "f32", "float64": "f64"},
}  # fmt: skip
"""What other languages call a type."""

_SHORT_FLOATS = ("f16", "fp16", "float16", "half", "bf16", "bfloat16", "f8", "fp8")


def type_hint(text: str) -> str | Suggestion:
    """Return how a type of another language is written here; nothing for any other word."""
    if text.lower() in _SHORT_FLOATS:
        return "floats have 32 or 64 bits: use f32"
    meant = TYPES.get(text, "")
    return Suggestion.of(f"the type is called `{meant}` here", meant) if meant else ""


def declaration_hint(text: str) -> str:
    """Return how what a word declares elsewhere is declared here; nothing for any other word."""
    return f"here it is declared as: {_DECLARATIONS[text]}" if text in _DECLARATIONS else ""


def identity_hint(text: str) -> str:
    """Return how a work-item learns here what a word asks for; nothing for any other word."""
    stem, dot, axis = text.removeprefix("%").partition(".")
    if stem in _IDENTITIES and (not dot or axis in ("x", "y", "z")):
        line = f"{_IDENTITIES[stem]} $s0, {'xyz'.index(axis or 'x')}"
    elif not dot and stem in _SCALARS:
        line = f"{_SCALARS[stem]} {'$d0' if _SCALARS[stem].endswith('64') else '$s0'}"
    else:
        return ""
    return f"here an instruction reads it into a register: {line}"


_SEGMENTS = {
    **dict.fromkeys(("shared", "lds", "local"), "group"),
    **dict.fromkeys(("const", "constant"), "readonly"),
    **dict.fromkeys(("param", "arg"), "kernarg"),
    "scratch": "private",
}
"""What other languages call a segment of memory."""

_ACCESS = re.compile(r"(ld|st|atomic_[a-z]+)[_.]([a-z]+)[_.]([a-z]+\d+)")
_ATOMIC = re.compile(r"(?:atom|red)\.([a-z]+)\.([a-z]+)\.([a-z]+\d+)")
_RELATION = re.compile(r"setp[_.]([a-z]+)[_.]([a-z]+\d+)")
_SHORT = re.compile(r"([a-z]+?)([fiu]?)(32|64|(?<=[fiu]))")
_LETTERS = {"f": "f", "i": "s", "u": "u"}


def _segment_hint(text: str) -> str | Suggestion:
    """Return the name of an access whose segment has another name, or is not written."""
    atomic, found = _ATOMIC.fullmatch(text), _ACCESS.fullmatch(text)
    if atomic is not None:
        segment, operation, type_ = atomic.groups()
        meant = f"atomic_{operation}_{_SEGMENTS.get(segment, segment)}_{type_.replace('b', 'u')}"
        if meant in BY_NAME:
            return Suggestion.of(f"the instruction is called `{meant}` here", meant)
    if found is None:
        return ""
    stem, segment, type_ = found.groups()
    if stem != "ld" and segment in ("readonly", "kernarg", "const", "constant", "param"):
        return f"kernels only read {_SEGMENTS.get(segment, segment)} memory"
    meant = f"{stem}_{_SEGMENTS.get(segment, segment)}_{type_}"
    if segment not in _SEGMENTS or meant not in BY_NAME:
        return ""
    return Suggestion.of(f"the instruction is called `{meant}` here", meant)


def hint_for(text: str) -> str:
    """Return how a word of another language is said here; nothing for any other word."""
    if found := identity_hint(text):
        return found
    if text in _INSTRUCTIONS:
        return f"the instruction is called `{_INSTRUCTIONS[text] or text[:-1] + '_f32'}` here"
    if (name := re.sub(r"[_.][a-z]?\d+$", "", text)) in _SEQUENCES:
        return _SEQUENCES[name]
    if declared := declaration_hint(text):
        return declared
    if text in TYPES:
        return "registers take the place of variables: mov_u32 $s0, 1"
    if hint := _segment_hint(text):
        return hint
    if (found := _RELATION.fullmatch(text)) and (
        meant := "cmp_{}_{}".format(*found.groups())
    ) in BY_NAME:
        return Suggestion.of(f"the instruction is called `{meant}` here", meant)
    if found := _SHORT.fullmatch(text):
        meant = f"{found[1]}_{_LETTERS.get(found[2], 'u')}{found[3] or 32}"
        if meant in BY_NAME:
            return Suggestion.of(f"the instruction is called `{meant}` here", meant)
    if (found := re.fullmatch(r"f([a-z]+?)(32|64|)", text)) and (
        meant := f"{found[1]}_f{found[2] or 32}"
    ) in BY_NAME:
        return Suggestion.of(f"the instruction is called `{meant}` here", meant)
    joined = re.sub(r"\.+", "_", text)
    if joined != text and joined in BY_NAME:
        return Suggestion.of(f"mnemonics are joined by underscores: `{joined}`", joined)
    return ""


def from_elsewhere(word: Word) -> Mistake | None:
    """Return the message for a word of another language; None for any other word."""
    hint = hint_for(word.text)
    return unknown_instruction(word, hint) if hint else None


def unknown_instruction(word: Word, hint: str) -> Mistake:
    """Return the message for a word that is not in the instruction table."""
    return Mistake(
        "SIM104",
        f"unknown instruction `{word.text}`",
        word.at,
        "not in the instruction table",
        hint or "`simtlab explain` lists the instructions",
        unknown=word.text,
    )
