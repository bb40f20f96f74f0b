"""The engine's types for numba, and the compilation of engine code to them.

Types carry layouts, not sizes: code compiled for one machine serves all with the same files. All
fields are int64 to the type inferencer, however wide they are stored, and `compile_device` makes
all arguments int64 too, so that every function is compiled once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import typed_passes, types, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    type_callable,
)

from ..engine.intrinsics import TABLES
from .numba_intrinsics import I8, I64, Builder

_POINTER = I8.as_pointer()


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


class Rows(types.Type):
    """A pointer to a record; `fields` maps a name to (byte offset, bits)."""

    def __init__(self, name: str, fields: Mapping[str, tuple[int, int]]) -> None:
        self.fields = fields
        super().__init__(f"{name}_{_digest(sorted(fields.items()))}")


register_model(Rows)(models.OpaqueModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = Rows

    def generic_resolve(self, typ: Rows, attr: str) -> types.Type | None:
        return types.int64 if attr in typ.fields else None


def _place(builder: Builder, pointer: ir.Value, field: tuple[int, int]) -> ir.Value:
    offset, bits = field
    at = builder.gep(pointer, [I64(offset)], source_etype=I8)
    return builder.bitcast(at, ir.IntType(bits).as_pointer())


def _name(builder: Builder, typ: Rows, attr: str, access: ir.Instruction) -> None:
    """Mark an access with its field for LLVM: it overlaps no other field (TBAA)."""
    module = builder.module
    root = module.add_metadata(["simtlab engine"])
    kind = module.add_metadata([f"{typ.name}.{attr}", root, I64(0)])
    access.set_metadata("tbaa", module.add_metadata([kind, kind, I64(0)]))


@lower_getattr_generic(Rows)
def _get(context: Any, builder: Builder, typ: Rows, value: ir.Value, attr: str) -> ir.Value:
    field = typ.fields[attr]
    loaded = builder.load(_place(builder, value, field), typ=ir.IntType(field[1]))
    _name(builder, typ, attr, loaded)
    return loaded if field[1] == 64 else builder.sext(loaded, I64)


@lower_setattr_generic(Rows)
def _set(context: Any, builder: Builder, sig: Any, args: Any, attr: str) -> None:
    target, value = args
    field = sig.args[0].fields[attr]
    value = context.cast(builder, value, sig.args[1], types.int64)
    if field[1] != 64:
        value = builder.trunc(value, ir.IntType(field[1]))
    _name(builder, sig.args[0], attr, builder.store(value, _place(builder, target, field)))


def layout_of(dtype: np.dtype) -> dict[str, tuple[int, int]]:
    """Return name -> (byte offset, bits) of the fields of a record."""
    assert dtype.fields is not None
    return {name: (spec[1], spec[0].itemsize * 8) for name, spec in dtype.fields.items()}


@cache
def register_table(accessor: Callable[..., Any]) -> None:
    """Register a table's accessor: it loads the table's address from the header, `p_<name>`."""
    name, dtype = TABLES[accessor]
    row = Rows(name, layout_of(dtype))

    @type_callable(accessor)
    def typer(context: Any) -> Callable[..., types.Type]:
        return lambda S, i: row

    @lower_builtin(accessor, Rows, types.Any)
    def lower(context: Any, builder: Builder, sig: Any, args: Any) -> ir.Value:
        state, index = args
        index = context.cast(builder, index, sig.args[1], types.int64)
        base = _get(context, builder, sig.args[0], state, f"p_{name}")
        at = builder.mul(index, I64(dtype.itemsize))
        # With a pointer LLVM sees the stride of a loop's addresses, and vectorises them.
        return builder.gep(builder.inttoptr(base, _POINTER), [at], source_etype=I8)


def state_at(fields: Mapping[str, int]) -> Callable[[int], Any]:
    """Return the function from a header's address to the state; `fields`: name -> word."""
    typ = Rows("S", {name: (8 * word, 64) for name, word in fields.items()})

    def state(address: int) -> Any:
        raise NotImplementedError("only compiled code has addresses of states")

    @type_callable(state)
    def typer(context: Any) -> Callable[..., types.Type]:
        return lambda address: typ

    @lower_builtin(state, types.Any)
    def lower(context: Any, builder: Builder, sig: Any, args: Any) -> ir.Value:
        return builder.inttoptr(args[0], _POINTER)

    return state


class _Compiler(CompilerBase):
    """numba's passes without those that engine code does not need.

    It has no closures, contexts, literals, array expressions and overloads; searching for them
    takes a third of the time.
    """

    def define_pipelines(self) -> list[PassManager]:
        manager = PassManager("engine")
        for stage in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            typed_passes.NoPythonSupportedFeatureValidation,
            typed_passes.IRLegalization,
            typed_passes.NativeLowering,
            typed_passes.NoPythonBackend,
        ):
            manager.add_pass(stage, stage.__name__)
        manager.finalize()
        return [manager]


def compile_device(f: Any) -> Any:
    """Compile engine code with numba: one signature for all literals and widths."""
    compiled: Any = cast(Any, numba.njit)(
        f,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=_Compiler,
    )
    find = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: find(tuple(map(_canonical, args)), kws)
    return compiled


def _canonical(typ: types.Type) -> types.Type:
    typ = types.unliteral(typ)
    return types.int64 if isinstance(typ, (types.Integer, types.Boolean)) else typ
