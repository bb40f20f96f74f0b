"""The terminal interface, driven by its keys, the mouse and the prompt, small and large."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("textual")

from textual.widgets import Input, OptionList

from simtlab.debugger.tui.app import Debugger
from simtlab.debugger.tui.choose import Choose
from simtlab.debugger.tui.panes import LanesPane, MemoryPane, RegistersPane, SourcePane

from ..support.kernels import AFFINE, affine, hung, on_chip
from ..support.terminal import drive, screen

SIZES = [(80, 24), (140, 45), (60, 15)]


def line_of(text: str) -> int:
    (found,) = [n for n, line in enumerate(AFFINE.splitlines(), 1) if text in line]
    return found


async def keys(pilot, *pressed: str) -> None:
    for key in pressed:
        await pilot.press(key)
        while pilot.app.running.line:  # a key has no meaning until the move ends
            await pilot.pause(0.02)
        await pilot.pause()


async def type_(pilot, text: str) -> None:
    names = {" ": "space", "$": "dollar_sign", "[": "left_square_bracket",
             "]": "right_square_bracket", "=": "equals_sign"}  # fmt: skip
    await keys(pilot, "colon", *(names.get(c, c) for c in text), "enter", "escape")


@pytest.mark.parametrize("size", SIZES)
def test_every_pane_is_there(size):
    app = Debugger(affine())

    async def use(pilot):
        text = screen(app)
        for words in ("workitemabsid_u32", "warp 0 of workgroup 0", "$s0", "x: s32[8]", "step 0"):
            assert words in text
        assert len(text.splitlines()) == size[1]
        assert all(len(line) <= size[0] for line in text.splitlines())
        if size[0] >= 80:
            end = time.monotonic() + 600
            while not (footer := screen(app).splitlines()[-1]).strip():  # it is drawn last
                assert time.monotonic() < end
                await pilot.pause(0.02)
            for key in ("n/p", "d/D", "c/C", "b ", "w ", "l ", "/", ":", "?", "q"):
                assert key in footer

    drive(app, use, size)


def test_the_wrong_value_is_found_with_the_keys():
    app = Debugger(affine())

    async def use(pilot):
        session = app.session
        await type_(pilot, "watch y[3]")
        await keys(pilot, "c")
        assert session.value("y[3]") == 14
        assert "watchpoint 1: y[3] is written" in screen(app)
        await keys(pilot, "D")
        assert "EDITED" not in screen(app)
        source = app.query_one(SourcePane)
        assert source.line == line_of("mov_u32            $s5, 0")
        assert "waits on the stack" in app.query_one(LanesPane).content_text().plain
        await keys(pilot, "n", "n")
        await type_(pilot, "set $s5[3] = 100")
        assert "EDITED" in screen(app).splitlines()[0]
        await keys(pilot, "G")
        assert session.value("y[3]") == 114

    drive(app, use)


def test_keys_go_forwards_and_backwards():
    app = Debugger(affine())

    async def use(pilot):
        session = app.session
        seen = [session.position]
        for _ in range(4):
            await keys(pilot, "n")
            seen.append(session.position)
        for position in reversed(seen[:-1]):
            await keys(pilot, "p")
            assert session.position == position
        await keys(pilot, "k")
        assert session.next_pc == 9
        await keys(pilot, "j")
        assert session.next_pc == 11
        await keys(pilot, "J")
        await keys(pilot, "G")
        assert session.is_at_end
        assert "end of the run" in screen(app)
        await keys(pilot, "g")
        assert session.position == 0

    drive(app, use)


def test_a_breakpoint_is_set_with_b_and_with_the_mouse():
    app = Debugger(affine())

    async def use(pilot):
        source = app.query_one(SourcePane)
        source.focus()
        source.goto_line(line_of("mad_s32"))
        await keys(pilot, "b")
        assert [p.line for p in app.session.breakpoints] == [line_of("mad_s32")]
        assert "●" in screen(app)
        await keys(pilot, "c")
        assert app.session.next_pc == 11
        await keys(pilot, "b")
        assert len(app.session.breakpoints) == 0
        assert "●" not in screen(app)
        row = source.cursor - source.scroll_offset.y
        await pilot.click(SourcePane, offset=(2, row + 1))
        await pilot.pause()
        assert [p.line for p in app.session.breakpoints] == [line_of("mad_s32")]
        await pilot.click(SourcePane, offset=(20, row))
        await pilot.pause()
        assert len(app.session.breakpoints) == 1, "a click on the text moves the cursor only"
        assert source.line == line_of("mad_s32") - 1

    drive(app, use)


def test_warp_lane_array_and_register_are_chosen_from_lists():
    app = Debugger(on_chip(warp=4))

    async def use(pilot):
        await keys(pilot, "n", "n", "w")
        assert isinstance(app.screen, Choose)
        assert app.screen.query_one(OptionList).highlighted == 0
        await keys(pilot, "down", "down", "enter")
        assert app.session.warp == 2
        await keys(pilot, "l", "down", "enter")
        assert app.session.lane == 1
        assert "lane 1" in screen(app)
        await keys(pilot, "m", "end", "enter")
        assert app.query_one(MemoryPane).array == "own"
        await keys(pilot, "r", "down", "enter")
        assert app.query_one(RegistersPane).only == "$s0"
        assert "$s0 in all lanes" in screen(app)
        await keys(pilot, "w", "escape")
        assert app.session.warp == 2

    drive(app, use)


def test_the_source_is_searched():
    app = Debugger(affine())

    async def use(pilot):
        source = app.query_one(SourcePane)
        await keys(pilot, "slash", *"sub", "underscore", *"s32", "enter")
        assert source.line == line_of("sub_s32")
        await keys(pilot, "slash", *"kernarg", "enter")
        first = source.line
        await keys(pilot, "slash", "enter")
        assert source.line > 0
        assert source.line != first
        await keys(pilot, "slash", *"nowhere", "enter")
        assert "no line has 'nowhere'" in screen(app)
        assert app.focused is source

    drive(app, use)


def test_the_prompt_prints_recalls_and_reports_mistakes():
    app = Debugger(affine())

    async def use(pilot):
        await keys(pilot, "colon", *"echo", "space", *"one", "enter", *"nonsense", "enter")
        text = screen(app)
        assert "> echo one" in text
        assert "unknown command 'nonsense'" in text
        prompt = app.query_one("#prompt", Input)
        assert prompt.has_focus
        await keys(pilot, "up", "up")
        assert prompt.value == "echo one"
        await keys(pilot, "down")
        assert prompt.value == "nonsense"
        # Letters are typed, they are no keys here.
        position = app.session.position
        await keys(pilot, "n", "q")
        assert app.session.position == position
        await keys(pilot, "escape", "n")
        assert app.session.position != position

    drive(app, use)


def test_q_and_quit_end_the_session():
    for pressed in (("q",), ("colon", *"quit", "enter")):
        app = Debugger(affine())

        async def use(pilot, pressed=pressed, app=app):
            await keys(pilot, *pressed)
            assert not app.is_running or app._exit

        drive(app, use)


def test_a_hang_is_announced_and_looked_at():
    app = Debugger(hung())

    async def use(pilot):
        assert "SIMT deadlock" in screen(app)
        await keys(pilot, "G")
        text = app.query_one(LanesPane).content_text().plain
        assert "1000 @acquire+3 waits on the stack" in text

    drive(app, use, (120, 30))


def test_a_simulation_is_shown_in_cycles_and_refuses_edits():
    app = Debugger(affine(policy="dws.revive-split"))

    async def use(pilot):
        await keys(pilot, "n")
        assert "cycle " in screen(app).splitlines()[0]
        await type_(pilot, "set $s0 = 1")
        assert "values of a simulation cannot be changed" in screen(app)

    drive(app, use, (100, 30))


def test_a_change_of_the_size_lays_out_anew():
    app = Debugger(affine())

    async def use(pilot):
        await pilot.resize_terminal(150, 50)
        await pilot.pause()
        await keys(pilot, "n")
        assert "0x00000000" in screen(app)

    drive(app, use)


def test_an_object_file_without_sources_shows_instructions(tmp_path):
    import numpy as np

    import simtlab
    from simtlab.asm.load import load
    from simtlab.debugger.session import Session
    from simtlab.emu.module import Module
    from simtlab.isa.objectfile import dumps

    program = load(dumps(simtlab.assemble(AFFINE).program))
    launch = simtlab.record(Module(program).affine, items=8, warp=8)
    session = Session(launch(2, 100, np.ones(8, "i4"), np.zeros(8, "i4")))
    app = Debugger(session)

    async def use(pilot):
        assert "workitemabsid_u32" in screen(app)
        await keys(pilot, "n", "n")
        assert app.query_one(SourcePane).line == 3

    drive(app, use)
