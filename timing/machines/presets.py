"""Files of figures: presets of the package and TOML files of users, read and checked alike."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ...isa.errors import UsageError, did_you_mean
from ...isa.quoting import shown


class Part(BaseModel):
    """A table of such a file: what it does not declare is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Presets:
    """The TOML files in a folder of the package: `kind` says what they are, as "machine".

    `error` is what is raised, `hint` what helps with a file that is wrong.
    """

    package: str
    kind: str
    error: Callable[..., UsageError]
    hint: str = ""

    def names(self) -> list[str]:
        """The presets."""
        files = resources.files(self.package).iterdir()
        return sorted(f.name[: -len(".toml")] for f in files if f.name.endswith(".toml"))

    def read(self, name: str) -> tuple[dict[str, Any], str]:
        """The content of a preset or of a user's file, and its name for messages."""
        text, where = self._text(name)
        try:
            return tomllib.loads(text), where
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
                    f"cannot read {self.kind} file {name}: {problem.strerror}"
                ) from None
            except ValueError:
                raise self.error(f"{self.kind} file {name} is no UTF-8 text") from None
        known = self.names()
        if name not in known:
            raise self.error(
                f"there is no {self.kind} {name!r}",
                hint=did_you_mean(name, known) or f"there are {', '.join(known)}",
            )
        file = resources.files(self.package) / f"{name}.toml"
        return file.read_text("utf-8"), name

    def build(
        self, model: type[Model], table: Any, where: str, mistake: Callable[[Any], str]
    ) -> Model:
        """The content as a model; `mistake` words what is wrong with a key."""
        try:
            return model.model_validate(table)
        except ValidationError as error:
            lines = "; ".join(mistake(found) for found in error.errors())
            raise self.error(f"{where} is no {self.kind}: {lines}", hint=self.hint) from None


def key_of(error: Any) -> str:
    """The key that a finding of pydantic's is about, as `l1d.size`."""
    return ".".join(map(str, error["loc"]))


def wording(error: Any) -> str:
    """A finding of pydantic's in our words."""
    key, text = key_of(error), str(error["msg"]).removeprefix("Value error, ")
    text = text.replace("Input should be", "must be").replace("Field required", "is missing")
    if error["type"] == "missing":
        return f"{key}: {text}"
    return f"{key}: {text} (got {shown(error['input'])})" if key and "=" not in text else text
