"""`simtlab doctor`: the state of this installation."""

from __future__ import annotations

from .. import status
from ..options.options import Json


def doctor(json: Json = False) -> int:
    """Show versions, computer and cache folder, and run a small kernel as a test.

    The exit status is 1 if that test fails.

    For example:

      simtlab doctor
      simtlab doctor --json
    """
    from ..jobs.doctor import examine
    from ..output.output import print_json, print_rows

    report = examine()
    if json:
        print_json(report.to_dict())
    else:
        print_rows(report.rows())
    return status.DONE if report.works else status.FAILED
