"""A long move in the terminal interface: the panes live, and two keys end it where it is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("textual")

from textual.pilot import Pilot
from textual.widgets import Footer

import simtlab
from simtlab.debugger.session import Session
from simtlab.debugger.tui.app import Debugger
from simtlab.debugger.tui.panes import SourcePane
from simtlab.recording.recording import Recording

from ..support.long_run import LOOP
from ..support.terminal import drive, screen

ITERATIONS = 2_000
SECONDS_AN_INSTRUCTION = 0.005
"""Makes a walk through the run take half a minute on every machine."""

ISSUES = 2 + 3 * ITERATIONS + 1


@pytest.fixture(scope="module")
def recording() -> Recording:
    kernel = simtlab.assemble(LOOP)["loop"]
    launch = simtlab.record(kernel, items=4, group_size=4, warp=4)
    return launch(ITERATIONS, np.zeros(4, np.uint32))


@pytest.fixture
def app(recording: Recording) -> Debugger:
    return Debugger(Session(recording))


async def until(pilot: Pilot, holds: Callable[[], bool]) -> None:
    """Let the app work until something holds; fail after ten minutes."""
    for _ in range(12_000):
        if holds():
            await pilot.pause()
            return
        await asyncio.sleep(0.05)
    pytest.fail("it does not come true")


def slow_down(app: Debugger) -> Callable[[], None]:
    """Let each instruction take a while; return the function that ends this."""
    asked = app.session.asked

    def slowly() -> bool:
        time.sleep(SECONDS_AN_INSTRUCTION)
        return asked()

    def as_before() -> None:
        app.session.asked = asked

    app.session.asked = slowly
    return as_before


async def start(app: Debugger, pilot: Pilot, *pressed: str) -> Callable[[], None]:
    """Begin to walk slowly, and wait until the walk is under way."""
    as_before = slow_down(app)
    await pilot.press(*(pressed or ("c",)))
    await until(pilot, lambda: bool(app.running.line) and app.session.position > 0)
    return as_before


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_a_key_ends_a_long_move_where_it_is(app, key):
    async def use(pilot):
        as_before = await start(app, pilot)
        await until(pilot, lambda: "Esc or Ctrl-C ends it here" in screen(app))
        assert "continue: " in screen(app).splitlines()[0]
        assert f"of {ISSUES:,} instructions" in screen(app).splitlines()[0]
        await pilot.press(key)
        await until(pilot, lambda: not app.running.line)
        await until(pilot, lambda: "interrupted" in screen(app))
        assert 0 < app.session.position < ISSUES
        assert f"step {app.session.t:,} " in screen(app).splitlines()[0]
        # The session is as usable as before, and the next move is not ended.
        before = app.session.position
        as_before()
        await pilot.press("n")
        await until(pilot, lambda: app.session.position == before + 1)
        await pilot.press("c")
        await until(pilot, lambda: app.session.is_at_end and not app.running.line)
        assert "end of the run" in screen(app)

    drive(app, use)


def test_the_footer_shows_the_key_only_while_a_move_is_made(app):
    async def use(pilot):
        footer = app.query_one(Footer)
        assert "stop here" not in screen(app)
        await start(app, pilot)
        await until(pilot, lambda: "stop here" in screen(app).splitlines()[-1])
        assert "Esc ^C" in screen(app).splitlines()[-1]
        assert "n/p" not in screen(app).splitlines()[-1]
        await pilot.press("escape")
        await until(pilot, lambda: "n/p" in screen(app).splitlines()[-1])
        assert "stop here" not in screen(app)
        assert footer.is_attached

    drive(app, use)


def test_the_panes_live_and_refuse_other_moves_while_one_is_made(app):
    async def use(pilot):
        source = app.query_one(SourcePane)
        await start(app, pilot)
        line = source.line
        await pilot.press("down", "n", "G", "b", "w", "colon")
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert app.running.line == "continue"
        assert source.line == line + 1
        assert len(app.session.breakpoints) == 0
        assert len(app.screen_stack) == 1
        assert app.focused is source
        await pilot.press("slash", *"ret", "enter")
        assert "ret" in source.lines[source.cursor]
        await pilot.press("escape")
        await until(pilot, lambda: "interrupted" in screen(app))
        assert not app.session.is_at_end

    drive(app, use)


def test_the_prompt_starts_one_command_at_a_time(app):
    async def use(pilot):
        await start(app, pilot, "colon", *"continue", "enter")
        await pilot.press(*"step", "enter")
        await pilot.pause()
        assert "`continue` is running; Esc or Ctrl-C ends it" in screen(app)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "interrupted" in screen(app))
        assert not app.session.is_at_end

    drive(app, use)


def test_no_hit_is_passed_when_a_condition_is_looked_for(app):
    async def use(pilot):
        point = app.session.breakpoints.at_label("@again")
        point.set_condition(f"$s0 == {ITERATIONS - 10}")
        await start(app, pilot)
        await pilot.press("escape")
        await until(pilot, lambda: "interrupted" in screen(app))
        assert app.session.position < 2 + 3 * (ITERATIONS - 10)
        assert app.session.value("$s0") < ITERATIONS - 10

    drive(app, use)


def test_q_ends_the_session_and_the_move(app):
    async def use(pilot):
        await start(app, pilot)
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running or app._exit)

    drive(app, use)
    assert 0 < app.session.position < ISSUES
