"""Make debugger.svg, the picture in docs/debugging.md: `python docs/pictures/debugger.py`."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import numpy as np

import simtlab
from simtlab.debugger.tui.app import Debugger

HERE = Path(__file__).parent
KEYS = ("d",)
"""To the divergence."""


def recording() -> simtlab.Recording:
    """Return the run of the page's walk-through."""
    program = simtlab.assemble(HERE.parent / "examples" / "affine.sasm")
    x = np.arange(8, dtype=np.int32)
    launch = simtlab.record(program.affine, items=8, warp=8)
    return launch(a=2, b=100, x=x, y=np.zeros(8, np.int32))


async def picture() -> str:
    """Return the panes as SVG, with the fonts of the reader."""
    session = simtlab.debug(recording())
    session.focus_lane(3)
    app = Debugger(session)
    async with app.run_test(size=(110, 32)) as pilot:
        await pilot.pause()
        for key in KEYS:
            await pilot.press(key)
            await pilot.pause()
        text = app.export_screenshot(title="simtlab debug affine.sasm")
    text = re.sub(r"@font-face \{.*?\}\n", "", text, flags=re.DOTALL)
    return text.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas")


if __name__ == "__main__":
    (HERE / "debugger.svg").write_text(asyncio.run(picture()), "utf-8", newline="\n")
