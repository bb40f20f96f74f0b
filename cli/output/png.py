"""PNG files of pictures: the encoder is below the command, because results in notebooks need it."""

from __future__ import annotations

from ...programs.png import png

__all__ = ["png"]
