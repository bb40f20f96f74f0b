"""`simtlab explain`: what an instruction does, and what an error code means."""

from __future__ import annotations

from typing import Annotated

import typer

from . import status
from .complete import instructions
from .options import Json


def explain(
    word: Annotated[
        str,
        typer.Argument(
            metavar="OPCODE|CODE",
            help="An instruction as fma_f32, a stem as fma, or an error code as SIM104.",
            autocompletion=instructions,
        ),
    ],
    json: Json = False,
) -> int:
    """Explain an instruction or an error code.

    For example:

      simtlab explain fma_f32
      simtlab explain atomic_add
      simtlab explain SIM401
    """
    from .explanations import explanation
    from .output import print_json

    found = explanation(word)
    if json:
        print_json(found.to_dict())
    else:
        print(found.text())
    return status.DONE
