"""The keys of a machine: their names, words, meanings, and the messages about wrong ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, get_args

from ...isa.errors import did_you_mean, either
from ...isa.quoting import shown
from ..policies.settings import SETTINGS
from .presets import Part, key_of, wording

if TYPE_CHECKING:
    from .machine import Machine


_OTHER_NAMES = {
    **dict.fromkeys(("warp", "warp_size", "warp_width", "lanes", "simd", "simd_width"), "width"),
    **dict.fromkeys(("threads_per_warp", "wavefront", "wavefront_size"), "width"),
    **dict.fromkeys(("sm", "sms", "core", "cores", "cus", "processors"), "wpus"),
    **dict.fromkeys(("warps_per_sm", "warps_per_core", "warps_per_wpu", "contexts"), "warps"),
    **dict.fromkeys(("ghz", "frequency", "clock"), "clock_ghz"),
    **dict.fromkeys(("memory_latency", "latency"), "dram.latency"),
}
"""Keys by the names that they have elsewhere."""


@dataclass(frozen=True)
class Value:
    """A key of a machine with its meaning, as `simtlab machines NAME` prints it."""

    key: str
    value: Any
    unit: str
    text: str
    source: str


class Keys:
    """The keys of a model: those of its parts as `l1d.size`."""

    def __init__(self, model: type[Part]) -> None:
        self.model = model
        self.all: tuple[str, ...] = tuple(self._names())

    def _names(self) -> Iterator[str]:
        for key, spec in self.model.model_fields.items():
            kind = spec.annotation
            if isinstance(kind, type) and issubclass(kind, Part):
                yield from (f"{key}.{inner}" for inner in kind.model_fields)
            else:
                yield key

    def unknown(self, key: str) -> str:
        """Return the message for a key that no machine has; an empty text for a known key."""
        return "" if key in self.all else f"{key}: unknown key{self.near(key)}"

    def choices(self, key: str) -> tuple[str, ...]:
        """Return the words that a key takes; empty where it takes numbers."""
        table, _, last = key.rpartition(".")
        kind: Any = self.model.model_fields[table].annotation if table else self.model
        return get_args(kind.model_fields[last].annotation) if key in self.all else ()

    def values(self, machine: Machine) -> list[Value]:
        """Return every key with its value, in the order of the declaration."""
        found: list[Value] = []
        for key in self.all:
            if key in ("name", "title", "policy", "sources"):
                continue
            table, _, last = key.rpartition(".")
            part: Part = getattr(machine, table) if table else machine
            spec = type(part).model_fields[last]
            extra = spec.json_schema_extra
            unit = str(extra["unit"]) if isinstance(extra, dict) else ""
            is_given = last in part.model_fields_set and (
                not table or table in machine.model_fields_set
            )
            source = machine.sources.get(key, "" if is_given else "default")
            found.append(Value(key, getattr(part, last), unit, spec.description or "", source))
        return found

    def mistake(self, error: Any) -> str:
        """Return the sentence for a finding of pydantic."""
        key = key_of(error)
        if error["type"] == "extra_forbidden":
            if isinstance(error["input"], dict):  # an unknown table: its keys are unknown too
                key = ".".join((key, *map(str, list(error["input"])[:1])))
            return f"{key}: unknown key{self.near(key)}"
        if error["type"] == "literal_error":
            words = self.choices(key)
            near = did_you_mean(error["input"], words)
            return f"{key}: takes {either(words)}, not {shown(error['input'])}" + (
                f" ({near})" if near else ""
            )
        if error["type"] == "dict_type":
            return (
                f"{key}: is a table of settings, as {key}.percent=50; the policy itself is chosen "
                "with --policy (or policy=)"
            )
        if error["type"] in ("model_type", "model_attributes_type"):
            return f"{key}: is a table of keys, such as {self._inside(key)}"
        return wording(error)

    def _inside(self, table: str) -> str:
        """Return the first key of a table."""
        return next(key for key in self.all if key.startswith(f"{table}."))

    def near(self, key: str) -> str:
        """Return a suggestion: a policy's setting, a key of that table, or a similar key."""
        table, _, last = key.rpartition(".")
        setting = key.replace("_", "-")
        own = [known for known in self.all if known.startswith(f"{table}.")]
        names = [known.rpartition(".")[2] for known in own]
        same = [known for known in self.all if known.rpartition(".")[2] == last]
        other = _OTHER_NAMES.get(key.replace("-", "_"))
        if other in self.all or setting in SETTINGS:
            found = [other] if other in self.all else []
            found += [f"policy.{setting}"] if setting in SETTINGS else []
        elif own:  # the table exists, so the key is one of it
            meant = [name for name in names if any(w.startswith(last) for w in name.split("_"))]
            found = [f"{table}.{name}" for name in meant or get_close_matches(last, names, n=1)]
        else:
            found = [known for known in same if get_close_matches(table, [known.partition(".")[0]])]
            found = found or same or get_close_matches(key, self.all, n=1)
        if not found:
            return f" ({table} has {', '.join(names)})" if own else ""
        return f" (did you mean {either([f'`{key}`' for key in found])}?)"
