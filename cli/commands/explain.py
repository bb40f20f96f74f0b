"""`simtlab explain`: instructions, error codes, concepts, and the pages of the documentation."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import status
from ..options.complete import explained
from ..options.options import Json


def explain(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OPCODE|CODE|CONCEPT|PAGE",
            help="An instruction as fma_f32, a stem as fma, an error code as SIM104, a concept as "
            "active mask, or a page of the documentation as timing; without it, everything is "
            "listed.",
            autocompletion=explained,
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Explain an instruction, an error code or a concept, or print a page of the documentation.

    Without a word it lists everything that it can explain.

    For example:

      simtlab explain fma_f32
      simtlab explain atomic_add
      simtlab explain SIM401
      simtlab explain active mask
      simtlab explain isa
    """
    from ..jobs.explain import explanation, explanations
    from ..output.output import print_json

    found = explanations(words) if words else explanation(None)
    if json:
        print_json(found.to_dict())
    else:
        print(found.text())
    return status.DONE
