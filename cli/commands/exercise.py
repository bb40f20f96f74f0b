"""`simtlab exercise`: list, start, show and check exercises."""

from __future__ import annotations

from typing import Annotated

import typer

from ...isa.errors import UsageError
from .. import status
from ..options.complete import exercises
from ..options.options import Json

_EXERCISE = typer.Argument(
    metavar="NAME|FOLDER",
    help="An exercise that `simtlab exercise` lists, its number, or the folder of your own.",
    autocompletion=exercises,
)

Exercise = Annotated[str, _EXERCISE]


def overview(context: typer.Context, json: Json = False) -> int:
    """Kernels with a hole: fill it, check the result, and improve the score.

    Without a further word, list the exercises. A file of an exercise in the current folder
    (masked-add.sasm) is checked, and its state is shown.

    For example:

      simtlab exercise                          the exercises, in their order
      simtlab exercise start masked-add         read the task, get the file masked-add.sasm
      simtlab exercise check masked-add         check the answer
      simtlab exercise hint masked-add          get a hint
    """
    if context.invoked_subcommand is not None:
        if json:
            raise UsageError(
                f"--json must follow {context.invoked_subcommand}: here it lists the exercises",
                code="SIM517",
            )
        return status.DONE
    from ..jobs.exercise import print_list

    return print_list(json=json)


def start(
    name: Exercise,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="F",
            help="Name of the file to write (NAME.sasm; NAME.py for a scheduler).",
        ),
    ] = None,
) -> int:
    """Write the start file of an exercise, and print its task.

    A file that exists is not replaced.

    For example:

      simtlab exercise start masked-add
      simtlab exercise start 3 -o answers/divergence.sasm
    """
    from ..jobs.exercise import start_exercise

    return start_exercise(name, output)


def show(name: Exercise, json: Json = False) -> int:
    """Print the task of an exercise, its targets, and its start file.

    For example:

      simtlab exercise show transpose
    """
    from ..jobs.exercise import show_exercise

    return show_exercise(name, json=json)


def hint(
    name: Exercise,
    number: Annotated[
        str, typer.Argument(metavar="N", help="Number of the hint, from 1 on (1).")
    ] = "1",
) -> int:
    """Print a hint; the first one says least.

    For example:

      simtlab exercise hint masked-add
      simtlab exercise hint masked-add 2
    """
    from ..jobs.exercise import print_hint

    return print_hint(name, number)


def check(
    name: Exercise,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="The answer (NAME.sasm in the current folder)."),
    ] = None,
    picture: Annotated[
        str | None,
        typer.Option(
            metavar="F.png", help="Draw the wrong elements, or what the exercise is about."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Run an answer on several inputs, compare it with the reference, and score it.

    Exit status: 0 passed, 1 not passed.

    For example:

      simtlab exercise check masked-add
      simtlab exercise check coalescing my.sasm --picture lanes.png
      simtlab exercise check ./my-exercise my.sasm --json
    """
    from ..jobs.exercise import check_answer

    return check_answer(name, file, picture=picture, json=json)


def grade(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A folder that has a folder for each student.")
    ],
    csv: Annotated[
        str | None,
        typer.Option(metavar="F.csv", help="Write a line for each student and exercise."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FOLDER",
            help="Grade this exercise only; may be given several times.",
            autocompletion=exercises,
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Check the answers of a class: a folder for each student, files named after the exercises.

    For example:

      simtlab exercise grade submissions --csv points.csv
      simtlab exercise grade submissions --only lock --only ./my-exercise
    """
    from ..jobs.exercise import grade_class

    return grade_class(folder, csv=csv, only=only or [], json=json)


def export(
    name: Exercise,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="DIR", help="The folder to write the exercise's folder into."
        ),
    ],
) -> int:
    """Write the folder of an exercise for students: without solution and hidden cases.

    Students check their answers with it; the teacher grades with the whole folder.

    For example:

      simtlab exercise export ./triple -o handout
    """
    from ..jobs.exercise import export_exercise

    return export_exercise(name, output)


SUBCOMMANDS = (start, show, hint, check, grade, export)
