"""What a reader does with the page: keys, jumps, search, values, links, colours, comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import simtlab
from simtlab.programs.index import find
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.recording.functional import FunctionalRecorder
from simtlab.recording.recording import Recording

from ..timing.support import scenarios
from ..timing.support.history import History
from .support.browse import Shown

Show = Callable[..., Shown]


@pytest.fixture(scope="module")
def reduction() -> Recording:
    """A program with group memory, barriers and two warps in a workgroup."""
    recorder = FunctionalRecorder("lwm/reduction under stack", most=3_000)
    module = simtlab.assemble(find("lwm/reduction").path)
    launcher = PlainLauncher(module, warp=8, executor=recorder.run, engine="interp")
    assert run_program(find("lwm/reduction"), launcher, size="tiny").error is None
    return recorder.finish()


@pytest.fixture(scope="module")
def merge() -> Recording:
    recorder = FunctionalRecorder("merge under stack")
    module = simtlab.assemble(find("merge").path)
    launcher = PlainLauncher(module, warp=8, executor=recorder.run, engine="interp")
    assert run_program(find("merge"), launcher, size="tiny").error is None
    return recorder.finish()


@pytest.fixture(scope="module")
def split() -> Recording:
    return History(scenarios.F12, "dws.lazy-split").recording


def kinds_of(recording: Recording, warp: int, *kinds: str) -> list[int]:
    rows = recording.tables["instant"]
    wanted = [recording.facts["instants"].index(kind) for kind in kinds]
    mine = rows[(rows["warp"] == warp) & np.isin(rows["kind"], wanted)]
    return sorted(set(mine["t"].tolist()))


def test_keys_move_through_time(show: Show, merge: Recording) -> None:
    shown = show(merge)
    for key, t in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("Control+ArrowRight", 101),
        ("Control+ArrowLeft", 1),
        ("End", merge.end - 1),
        ("ArrowRight", merge.end - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
    ]:
        shown.press(key)
        assert shown.t == t, key
    mine = merge.issues[merge.issues["warp"] == 0]["t"].tolist()
    for t in mine[1:6]:
        shown.press("Shift+ArrowRight")
        assert shown.t == t
    shown.press("Shift+ArrowLeft")
    assert shown.t == mine[4]


def test_keys_belong_to_the_field_that_has_the_focus(show: Show, merge: Recording) -> None:
    shown = show(merge)
    shown.page.get_by_label("Speed, steps a second", exact=True).focus()
    shown.press("ArrowRight", "]")
    assert shown.t == kinds_of(merge, 0, "diverge")[0]
    shown.goto(7)
    shown.page.locator("#time").focus()
    shown.press("ArrowLeft", "l")
    assert shown.t == 7
    assert shown.page.get_by_label("lane", exact=True).input_value() == "0"
    follow = shown.page.get_by_label("follow")
    follow.focus()
    shown.press(" ")
    assert not follow.is_checked()
    assert not shown.page.evaluate("window.simtlab.stores[0].isPlaying.value")


def test_brackets_go_through_every_divergence_and_back(show: Show, merge: Recording) -> None:
    shown = show(merge)
    times = kinds_of(merge, 0, "diverge")
    assert len(times) > 3
    for t in times:
        shown.press("]")
        assert shown.t == t
        assert "The branch diverges" in shown.step
    shown.press("]")
    assert shown.t == times[-1]
    assert "Warp 0 has no later event of this kind." in shown.step
    for t in reversed(times[:-1]):
        shown.press("[")
        assert shown.t == t


@pytest.mark.parametrize(
    ("chosen", "kinds"),
    [("split", ["split"]), ("merge", ["merge", "join"]), ("miss", ["miss"]), ("exit", ["exit"])],
)
def test_jumps_go_to_every_event(
    show: Show, split: Recording, chosen: str, kinds: list[str]
) -> None:
    shown = show(split)
    shown.choose("Jump to", chosen)
    times = [t for t in kinds_of(split, 0, *kinds) if t > 0]
    assert times
    for t in times:
        shown.click("Jump to the next one")
        assert shown.t == t
    for t in reversed(times[:-1]):
        shown.press("{")
        assert shown.t == t


def test_jumps_go_to_barriers_and_runs_of_a_line(show: Show, reduction: Recording) -> None:
    shown = show(reduction)
    shown.choose("Jump to", "barrier")
    for t in kinds_of(reduction, 0, "barrier", "open")[:3]:
        shown.press("}")
        assert shown.t == t
    code = reduction.facts["kernels"][0]["instructions"]
    barrier = next(i["line"] for i in code if i["kind"] == "barrier")
    pcs = [pc for pc, i in enumerate(code) if i["line"] == barrier]
    mine = reduction.issues[reduction.issues["warp"] == 0]
    times = [int(i["t"]) for i in mine if i["pc"] in pcs]
    shown.press("Home")
    shown.page.locator(f".listing li:nth-child({barrier})").click()
    shown.choose("Jump to", "line")
    for t in times[:3]:
        shown.click("Jump to the next one")
        assert (shown.t, shown.line()) == (t, barrier)


def test_playing_advances_and_stops_at_the_end(show: Show, split: Recording) -> None:
    shown = show(split)
    shown.choose("Speed, cycles a second", "240")
    shown.press(" ")
    shown.until(f"document.querySelector('#time').value === '{split.end - 1}'")
    shown.page.get_by_role("button", name="Play", exact=True).wait_for()
    shown.press("Home", " ")
    shown.until("Number(document.querySelector('#time').value) > 0")


def test_registers_and_memory_are_those_of_the_replay(show: Show, merge: Recording) -> None:
    shown = show(merge)
    shown.choose("Form", "unsigned")
    times = [0, 1, 13, 57, 200, 333, merge.end - 1]
    for warp, lane, t in [(w, lane, t) for t in times for w, lane in ((0, 0), (1, 5), (0, 7))]:
        if t >= merge.end:
            continue
        shown.page.evaluate(f"location.hash = '#t={t}&warp={warp}&lane={lane}'")
        shown.until(f"document.querySelector('#time').value === '{t}'")
        expected = merge.registers(warp, t)
        for name, text in shown.registers().items():
            if text == "–" or name not in expected:
                continue
            value = expected[name][lane]
            shown_value = {"true": 1, "false": 0}.get(text, text)
            assert int(shown_value) == int(value), (warp, lane, t, name)
    replay = merge.replay()
    for t in (5, 150, 400):
        replay.run_to(t + 1)
        shown.goto(t)
        shown.page.get_by_label("follow").set_checked(False)
        for buffer in merge.facts["buffers"]:
            option = f"global {buffer['name']} {buffer['address']}"
            shown.choose("Buffer or array", option)
            found = replay.memory.find(buffer["address"])
            assert found is not None
            whole = found.host[: buffer["size"]].view(np.int32).tolist()
            assert [int(c) for c in shown.cells()] == whole[:128], (t, buffer["name"])


def test_a_written_register_is_marked_with_its_instruction(show: Show, merge: Recording) -> None:
    shown = show(merge)
    code = merge.facts["kernels"][0]["instructions"]
    for t in range(6):
        shown.goto(t)
        issue = next(i for i in merge.issues if i["warp"] == 0 and i["t"] == t)
        dst = code[int(issue["pc"])]["dst"]
        assert shown.new_registers() == ([dst] if dst else [])


def test_group_memory_says_who_wrote_it(show: Show, reduction: Recording) -> None:
    shown = show(reduction)
    code = reduction.facts["kernels"][0]["instructions"]
    pc = next(p for p, i in enumerate(code) if i["kind"] == "store" and i["segment"] == "group")
    issue = next(i for i in reduction.issues if i["pc"] == pc and i["warp"] == 1)
    shown.page.evaluate(f"location.hash = '#t={int(issue['t'])}&warp=1&lane=2'")
    shown.until(f"document.querySelector('#time').value === '{int(issue['t'])}'")
    shown.page.wait_for_selector(".cell.accessed")
    text = shown.page.locator(".pane-memory .row").inner_text()
    assert "warp 1 lane 2" in text
    assert f"line {code[pc]['line']}, step {int(issue['t'])}" in text
    # Warps of the workgroup that store in the same step.
    together = reduction.issues[(reduction.issues["t"] == issue["t"])]
    together = [
        i for i in together if i["pc"] == pc and reduction.occupant(i["warp"], i["t"])[0] == 0
    ]
    lanes = sum(int(i["mask"]).bit_count() for i in together)
    assert shown.page.locator(".cell.new").count() == min(lanes, 128)


def test_an_address_that_has_changed_is_read_before_it_is_written(
    show: Show, merge: Recording
) -> None:
    held = """
        const plain = window.setTimeout;
        window.held = [];
        window.setTimeout = (act, wait, ...rest) =>
            wait === 250 ? held.push(act) : plain(act, wait, ...rest);
    """
    shown = show(merge, init=held)
    shown.goto(3)
    # The event that an address has changed comes after what was due at that moment.
    shown.page.evaluate("location.hash = '#t=5&warp=0&lane=1'; held.forEach(act => act())")
    shown.until("document.querySelector('#time').value === '5'")
    assert shown.page.get_by_label("lane", exact=True).input_value() == "1"


def test_search_finds_work_items_and_lines(show: Show, reduction: Recording) -> None:
    shown = show(reduction)
    for query, warp, lane in [("13", "1", "5"), ("0 + 10", "1", "2"), ("3", "0", "3")]:
        shown.press("/")
        shown.page.locator("dialog input").fill(query)
        shown.press("Enter")
        shown.page.wait_for_selector("dialog", state="detached")
        found = [shown.page.get_by_label(x, exact=True).input_value() for x in ("warp", "lane")]
        assert found == [warp, lane], query
    line = reduction.facts["kernels"][0]["instructions"][4]["line"]
    shown.press("/")
    shown.page.locator("dialog input").fill(f"line {line}")
    shown.press("Enter")
    assert shown.line() == line
    shown.press("/")
    shown.page.locator("dialog input").fill("999999")
    shown.press("Enter")
    assert "no such work-item" in shown.page.locator("dialog").inner_text()
    shown.page.locator("dialog input").fill("nonsense")
    shown.press("Enter")
    assert "Type a global id" in shown.page.locator("dialog").inner_text()


def test_the_address_is_a_link_to_the_step(show: Show, reduction: Recording) -> None:
    shown = show(reduction, hash="#t=50&warp=1&lane=5")
    assert shown.t == 50
    assert [shown.page.get_by_label(x, exact=True).input_value() for x in ("warp", "lane")] == [
        "1",
        "5",
    ]
    shown.press("ArrowRight", "l")
    shown.until("location.hash === '#t=51&warp=1&lane=6'")
    again = show(reduction, hash="#t=1e9&warp=-4&lane=zzz")
    assert again.t == reduction.end - 1


def test_the_graph_lights_the_block_that_issues(show: Show, merge: Recording) -> None:
    shown = show(merge)
    kernel = merge.facts["kernels"][merge.facts["launches"][0]["kernel"]]
    dashed = shown.page.locator(".graph .dominator").count()
    ends = [b for b in kernel["blocks"] if b["ipdom"] is not None and len(b["successors"]) > 1]
    assert dashed == len(ends)
    assert shown.page.locator(".graph .edge").count() == sum(
        len(b["successors"]) for b in kernel["blocks"]
    )
    names = {pc: f"@{name}" for name, pc in kernel["labels"].items()}
    for t in (0, 9, 40):
        shown.goto(t)
        pc = next(int(i["pc"]) for i in merge.issues if i["warp"] == 0 and i["t"] == t)
        block = next(n for n, b in enumerate(kernel["blocks"]) if b["start"] <= pc < b["end"])
        start = kernel["blocks"][block]["start"]
        assert shown.lit_blocks() == [names.get(start, f"block {block}")]


def test_a_timeline_is_clicked_dragged_and_zoomed(show: Show, merge: Recording) -> None:
    shown = show(merge)
    box = shown.page.locator(".chart canvas.ruler").first.bounding_box()
    x = box["x"] + 58 + (box["width"] - 58) / 2
    shown.page.mouse.click(x, box["y"] + 6)
    middle = shown.t
    assert abs(middle - merge.end / 2) < merge.end / 50
    rows = shown.page.locator(".chart .rows canvas").first.bounding_box()
    shown.page.mouse.click(rows["x"] + 400, rows["y"] + rows["height"] - 4)
    assert shown.page.get_by_label("warp", exact=True).input_value() == str(
        merge.issues["warp"].max()
    )
    span = "window.simtlab.stores[0].to.value - window.simtlab.stores[0].from.value"
    before = shown.page.evaluate(span)
    shown.press("+", "+")
    assert shown.page.evaluate(span) == pytest.approx(before / 4, rel=0.05)
    shown.press("0")
    assert shown.page.evaluate(span) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1400])
def test_nothing_is_wider_than_the_window(
    show: Show, split: Recording, width: int, scheme: str
) -> None:
    shown = show(split, width=width, color_scheme=scheme)
    for t in (0, 2, 5, 17):
        shown.goto(t)
        assert shown.overflow() <= 0


def test_the_switch_of_colours(show: Show, split: Recording) -> None:
    shown = show(split, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = shown.page.evaluate(ground)
    shown.page.locator(".theme").click()
    shown.page.locator(".theme").click()
    shown.until(f"{ground} !== '{light}'")
    shown.page.locator(".theme").click()
    shown.until(f"{ground} === '{light}'")


def test_everything_that_can_be_used_has_a_name(show: Show, split: Recording) -> None:
    shown = show(split)
    nameless = shown.page.eval_on_selector_all(
        "button, input, select, canvas[role=img], svg[role=img]",
        """all => all.filter(e => !(e.ariaLabel || e.innerText?.trim() || e.title
            || e.labels?.[0]?.textContent.trim())).map(e => e.outerHTML)""",
    )
    assert nameless == []
    status = shown.page.locator("p[role=status]").first
    assert status.get_attribute("aria-live") == "polite"
    assert status.inner_text() == shown.step


def test_help_about_and_escape(show: Show, split: Recording) -> None:
    shown = show(split)
    shown.press("?")
    assert "How to read and move" in shown.page.locator("dialog").inner_text()
    shown.press("ArrowRight")
    shown.press("Escape")
    shown.page.wait_for_selector("dialog", state="detached")
    assert shown.t == 0
    shown.click("About")
    text = shown.page.locator("dialog").inner_text()
    assert split.facts["policy"] in text
    shown.click("Close")


def test_a_page_for_print(show: Show, split: Recording) -> None:
    shown = show(split)
    shown.page.emulate_media(media="print")
    assert not shown.page.locator(".transport .buttons").first.is_visible()
    assert shown.page.locator(".machine.stack").is_visible()


def test_a_window_and_losses_are_said(show: Show) -> None:
    kernel = simtlab.assemble(find("merge").path)["merge_ranks"]
    arguments = (64, 1, np.arange(64, dtype=np.int32), np.zeros(64, np.int32))
    late = simtlab.record(kernel, items=64, warp=8, window=(20, 60))(*arguments)
    shown = show(late)
    assert "covers steps 20 to" in shown.page.locator(".remarks").inner_text()
    assert "begins at step 20" in shown.page.locator(".pane-registers").inner_text()
    few = simtlab.record(kernel, items=64, warp=8, most=50)(*arguments)
    shown = show(few)
    text = shown.page.locator(".remarks").inner_text()
    assert f"{few.facts['lost']:,} later issues were not kept" in text


def test_a_trap_is_said(show: Show) -> None:
    launch = simtlab.record(simtlab.assemble("kernel k(u32 %n) {\n    trap 3\n}\n")["k"], items=8)
    with pytest.raises(simtlab.Trap):
        launch(1)
    assert launch.recording is not None
    shown = show(launch.recording)
    assert "The run ended with an error" in shown.page.locator(".remarks").inner_text()
