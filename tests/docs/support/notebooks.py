"""Executes notebooks: `python notebooks.py FILE ...` executes them in place (`make notebooks`)."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

SECONDS = 1800
"""Longest time of a cell, on a slow machine that compiles every engine anew."""

SHOWN = ("text/plain", "text/html", "text/markdown")


def execute(path: Path, folder: Path) -> Any:
    """Return the notebook as it is after all its cells were executed in this folder."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=SECONDS,
        startup_timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
    ).execute()
    return notebook


def texts(notebook: Any) -> list[list[str]]:
    """Return what each code cell shows, pictures apart."""
    return [
        [text for output in cell.outputs for text in _texts(output)]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _texts(output: Any) -> list[str]:
    if output.output_type == "stream":
        return [output.text]
    return [output.data[kind] for kind in SHOWN if kind in output.get("data", {})]


def main() -> None:
    """Execute the files of the command line in place."""
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["SIMTLAB_STORE"] = f"{folder}/results.db"
            nbformat.write(execute(Path(name), Path(folder)), name)
        print(name)


if __name__ == "__main__":
    main()
