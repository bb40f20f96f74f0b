"""Variables of generated code: allocas, which LLVM turns into registers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...analysis.values.ssa import Op, Phi
from ..llvm.function_text import FunctionText
from ..llvm.text import integer_constant


class Variables:
    """The variables of a function by key, each made at its first use."""

    def __init__(self, entry: FunctionText, code: FunctionText) -> None:
        self.entry = entry
        """Where the allocas are."""
        self.code = code
        self.floats: Collection[object] = ()
        """Values whose vectors are kept as those of floats.

        They are blended as floats, so that LLVM masks the instruction that computes what is new.
        """
        self.changed: Collection[object] = ()
        """Values that are scalars in the version of a loop that is being written, not elsewhere."""
        self.same: Mapping[object, object] = {}
        """Value -> the one in whose variable its vectors are, since they follow each other."""
        self._part: Collection[int] = ()
        """The vectors that are set in a pass of a loop; all if there are none."""
        self._own: Collection[object] = ()
        """Values with other variables in a pass."""
        self._found: dict[object, tuple[list[str], list[str]]] = {}
        """Key -> types and places of its pieces."""
        self._read: set[object] = set()
        self._set: set[object] = set()

    def check(self) -> None:
        """Raise AssertionError if a variable is read that nothing sets: it would be anything."""
        unset = self._read - self._set
        assert not unset, f"variables that are read and never set: {unset}"

    def has(self, key: object) -> bool:
        """Return whether a variable has been made."""
        return key in self._found

    def places(self, key: object, types: Sequence[str]) -> list[str]:
        """Return the addresses of a variable's pieces, of these types, for code that sets it."""
        key = self._key(key)
        self._set.add(key)
        return self._places(key, types)

    def _key(self, key: object) -> object:
        """Return the key of the variable that a value has where it is a scalar, or in a pass."""
        if not isinstance(key, tuple):
            return key
        if key[0] in self.changed:
            return ("scalar", *key)
        return ("pass", *key) if key[0] in self._own else self._shared(key)

    def _shared(self, key: tuple[object, ...]) -> object:
        is_value = key[0] in self.same and key[1] == "value"
        return (self.same[key[0]], "value") if is_value else key

    def are_one(self, key: tuple[object, ...], other: tuple[object, ...]) -> bool:
        """Return whether values have one variable, at the end of a pass if one is being written."""
        if key[0] in self._own and other[0] in self._own:
            return False
        if key[0] in self.changed or other[0] in self.changed:
            return self._key(key) == self._key(other)
        return self._shared(key) == self._shared(other)

    @property
    def is_in_pass(self) -> bool:
        """Whether only some vectors of values are set."""
        return bool(self._part)

    def begin_pass(self, part: Collection[int], own: Collection[object]) -> None:
        """Set only some vectors of values from here on; some values have variables of their own."""
        self._part, self._own = part, own

    def end_pass(self) -> None:
        """Set all vectors of values from here on."""
        self._part, self._own = (), ()

    def _places(self, key: object, types: Sequence[str]) -> list[str]:
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = [], []
        for t in types[len(found[0]) :]:
            found[0].append(t)
            found[1].append(self.entry.let(f"alloca {self._kept(key, t)}, align 64"))
        return found[1]

    def load(self, key: object, types: Sequence[str]) -> list[str]:
        """Return the first pieces of a variable, as many as there are types."""
        key = self._key(key)
        self._read.add(key)
        places = self._places(key, types)[: len(types)]
        return [self._load(self._kept(key, t), t, p) for t, p in zip(types, places, strict=True)]

    def _load(self, kept: str, type_: str, place: str) -> str:
        value = self.code.let(f"load {kept}, ptr {place}")
        return value if kept == type_ else self.code.let(f"bitcast {kept} {value} to {type_}")

    def store(self, key: object, types: Sequence[str], values: Sequence[str]) -> None:
        """Set the first pieces of a variable, as many as there are types."""
        places = self.places(key, types)[: len(types)]
        for i, (t, p, v) in enumerate(zip(types, places, values, strict=True)):
            if self._part and i not in self._part and t.startswith("<") and _is_of_value(key):
                continue
            kept = self._kept(key, t)
            value = v if kept == t else self.code.let(f"bitcast {t} {v} to {kept}")
            self.code.line(f"store {kept} {value}, ptr {p}")

    def _kept(self, key: object, type_: str) -> str:
        """Return the type that a piece of a variable has in memory."""
        if not (isinstance(key, tuple) and key[0] in self.floats and type_.startswith("<")):
            return type_
        return type_.replace("i32", "float").replace("i64", "double")

    def word(self, name: str) -> str:
        """Return a variable of one i64."""
        return self.load(name, ["i64"])[0]

    def set_word(self, name: str, value: str) -> None:
        """Set a variable of one i64."""
        self.store(name, ["i64"], [value])

    def share_word(self, name: str, other: Variables) -> None:
        """Use the variable of one i64 that `other` has under this name."""
        self.share(name, ["i64"], other)

    def share(self, key: object, types: Sequence[str], other: Variables) -> None:
        """Use the variable that `other` has for a key."""
        self._set.add(key)
        self._found[key] = list(types), other.places(key, types)

    def poison(self, text: FunctionText, pattern: int | None) -> None:
        """Fill the variables of a warp with a pattern, if given.

        A workgroup's variables, whose keys are strings, keep their values. A kernel whose results
        depend on the pattern reads what no lane has written.
        """
        if pattern is None:
            return
        for key, (types, places) in self._found.items():
            if not isinstance(key, str):
                for t, place in zip(types, places, strict=True):
                    text.line(f"store {t} {_filled(t, pattern)}, ptr {place}")


def _is_of_value(key: object) -> bool:
    """Return whether a variable is that of a value, not of a mask."""
    return isinstance(key, tuple) and isinstance(key[0], (Op, Phi))


def _filled(type_: str, pattern: int) -> str:
    """Return a constant of an integer or vector type with a pattern in every element."""
    lanes, _, element = type_.strip("<>").rpartition(" x ")
    # Elements of 64 bits get the pattern in both halves, which is not a host address.
    return integer_constant(pattern * 0x1_0000_0001, int(element[1:]), int(lanes or 0))
