"""Presets of the package and TOML files of users, read and checked alike."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ...isa.errors import UsageError, did_you_mean
from ...isa.quoting import shown


class Part(BaseModel):
    """A table of such a file; an undeclared key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Presets:
    """The TOML files in a folder of the package; `kind` is what they describe, such as "machine".

    `error` is the class to raise, `hint` the help for a file with mistakes.
    """

    package: str
    kind: str
    error: Callable[..., UsageError]
    hint: str = ""

    def names(self) -> list[str]:
        """Return the names of the presets."""
        return list(_names(self.package))

    def read(self, name: str) -> tuple[dict[str, Any], str]:
        """Return the content of a preset or of a user's file, and its name for messages."""
        text, where = self._text(name)
        try:
            return _copied(_parsed(text)), where
        except ValueError as problem:
            raise self.error(f"{where}: {problem}") from None
        except RecursionError:
            raise self.error(f"{where}: tables or arrays are nested too deeply") from None

    def _text(self, name: str) -> tuple[str, str]:
        if name.endswith(".toml"):
            try:
                return Path(name).read_text(encoding="utf-8"), name
            except OSError as problem:
                raise self.error(
                    f"cannot read {self.kind} file {name}: {str(problem.strerror).lower()}"
                ) from None
            except ValueError:
                raise self.error(f"{self.kind} file {name} is not UTF-8 text") from None
        known = self.names()
        if name not in known:
            raise self.error(
                f"unknown {self.kind} {name!r}",
                hint=did_you_mean(name, known) or f"there are {', '.join(known)}",
            )
        return _packaged(self.package, name), name

    def build(
        self, model: type[Model], table: Any, where: str, mistake: Callable[[Any], str]
    ) -> Model:
        """Return the content as a model; `mistake` turns a finding into a sentence."""
        try:
            return model.model_validate(table)
        except ValidationError as error:
            lines = "; ".join(mistake(found) for found in error.errors())
            raise self.error(
                f"{where} is not a valid {self.kind}: {lines}", hint=self.hint
            ) from None


@cache
def _names(package: str) -> tuple[str, ...]:
    files = resources.files(package).iterdir()
    return tuple(sorted(f.name[: -len(".toml")] for f in files if f.name.endswith(".toml")))


@cache
def _packaged(package: str, name: str) -> str:
    return (resources.files(package) / f"{name}.toml").read_text("utf-8")


@cache
def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def _copied(table: Any) -> Any:
    """Return the content of a file with tables of its own."""
    return {k: _copied(v) for k, v in table.items()} if isinstance(table, dict) else table


def key_of(error: Any) -> str:
    """Return the key that a finding of pydantic's is about, as `l1d.size`."""
    return ".".join(map(str, error["loc"]))


def wording(error: Any) -> str:
    """Return the text of a finding of pydantic's, reworded."""
    key, text = key_of(error), str(error["msg"]).removeprefix("Value error, ")
    text = text.replace("Input should be", "must be").replace("Field required", "is missing")
    if error["type"] == "missing" or (key and isinstance(error["input"], dict)):
        return f"{key}: {text}"
    return f"{key}: {text} (got {shown(error['input'])})" if key and "=" not in text else text
