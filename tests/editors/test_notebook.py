"""Notebooks: the cell magic and what cells show, in IPython's shell without a browser."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.isa.objectfile import dumps
from simtlab.recording.recording import Recording
from simtlab.viewer.page import page_of

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from simtlab.editors import recordings

from .support.client import PATIENCE

ADD = """\
// y[i] += n < 3 && "quoted" <b>not bold</b>
kernel add(u32 %n, global u32* %y) {
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s1, [%n]
    cmp_ge_u32          $c0, $s0, $s1
    cbr                 $c0, @done
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%y]
    mad_u64             $d0, $d0, 4, $d1
    ld_global_u32       $s2, [$d0]
    add_u32             $s2, $s2, $s1
    st_global_u32       $s2, [$d0]
@done:
    ret
}
"""


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Iterator[InteractiveShell]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    made = InteractiveShell()
    made.run_cell("%load_ext simtlab")
    yield made
    made.history_manager = None  # its thread holds a database open


def run(shell: InteractiveShell, cell: str) -> tuple[Any, str, str]:
    """The value of a cell, and what was printed and shown as an error."""
    with capture_output() as captured:
        result = shell.run_cell(cell)
    return result, captured.stdout, captured.stderr


def test_a_cell_is_assembled_into_a_variable_that_can_be_launched(shell) -> None:
    result, _, _ = run(shell, f"%%sasm mine\n{ADD}")
    assert result.success
    assert result.result.kernels == ("add",)
    y = np.arange(5, dtype=np.uint32)
    shell.push({"y": y})
    result, _, _ = run(shell, "mine.add[1, 8](5, y)")
    assert result.success
    assert y.tolist() == [5, 6, 7, 8, 9]


def test_the_variable_has_a_usual_name_and_quiet_shows_nothing(shell) -> None:
    result, _, _ = run(shell, f"%%sasm -q\n{ADD}")
    assert result.success
    assert result.result is None
    assert shell.user_ns["program"].kernels == ("add",)


def test_markers(shell) -> None:
    run(shell, f"%%sasm a --markers explicit\n{ADD}")
    assert "reconverge" in shell.user_ns["a"].listing
    run(shell, f"%%sasm b\n{ADD}")
    assert "reconverge" not in shell.user_ns["b"].listing


def test_an_error_has_the_line_of_the_cell_and_no_traceback(shell) -> None:
    result, out, err = run(shell, "%%sasm mine\nkernel k() {\n    fam_f32 $s0\n    ret\n}\n")
    assert not result.success
    shown = out + err
    assert "error[SIM104]: unknown instruction `fam_f32`" in shown
    assert " --> <cell>:3:5" in shown
    assert "did you mean `fma_f32`?" in shown
    assert "Traceback" not in shown
    assert "mine" not in shell.user_ns


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%%sasm 2x", "'2x' is not a name"),
        ("%%sasm x --markers explict", "did you mean `explicit`?"),
        ("%%sasm x --nothing", "unrecognized arguments: --nothing"),
    ],
)
def test_a_wrong_magic_line(shell, line: str, message: str) -> None:
    result, out, err = run(shell, f"{line}\n{ADD}")
    assert not result.success
    assert message in out + err
    assert "Traceback" not in out + err


class _Checker(HTMLParser):
    """Checks that every tag is closed, and collects text and tags."""

    VOID = ("br", "img")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.frames: list[dict[str, str]] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        if tag == "iframe":
            self.frames.append(dict(attrs))

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def formats(shell: InteractiveShell, value: object) -> dict[str, str]:
    found, _ = shell.display_formatter.format(value)  # pyright: ignore
    return found


def test_a_module_shows_its_kernels_and_its_source(shell) -> None:
    module = simtlab.assemble(ADD)
    found = formats(shell, module)
    assert found["text/plain"] == "Module(kernel add(u32 %n, global u32* %y))"
    page = _Checker(found["text/html"])
    assert "b" not in page.tags
    assert '// y[i] += n < 3 && "quoted" <b>not bold</b>' in page.text
    assert "113 $s, 2 $d, 1 $c" in page.text, "11 instructions, then the registers"
    loaded = simtlab.load(dumps(module.program))
    assert "listing" in _Checker(formats(shell, loaded)["text/html"]).text


def test_a_kernel_a_launch_and_results_have_displays(shell) -> None:
    kernel = simtlab.assemble(ADD).add
    assert "11 instructions" in _Checker(formats(shell, kernel)["text/html"]).text
    launch = kernel.launch(groups=2, group_size=4, stats=True)
    page = _Checker(formats(shell, launch)["text/html"])
    assert "8 in 2 workgroups" in page.text
    result = launch(5, np.zeros(8, np.uint32))
    assert "activity factor" in _Checker(formats(shell, result)["text/html"]).text
    page = _Checker(formats(shell, result.statistics)["text/html"])
    assert "divergent" in page.text


def test_a_graph_is_a_picture(shell) -> None:
    graph = simtlab.assemble(ADD).add.cfg
    found = formats(shell, graph)
    assert found["text/plain"] == "<ControlFlow of add: 3 blocks>"
    root = ElementTree.fromstring(found["image/svg+xml"])
    names = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert names.count("rect") == 4
    assert found["image/svg+xml"] in found["text/html"]
    text = "".join(root.itertext())
    assert "joins at B2" in text
    assert "cbr $c0, @done" in text


# --- recordings


def recorded(items: int = 8) -> Recording:
    return simtlab.record(simtlab.assemble(ADD).add, items=items, group_size=8, warp=4)(
        5, np.zeros(items, np.uint32)
    )


def test_a_recording_shows_its_page_in_a_frame(shell) -> None:
    recording = recorded()
    found = formats(shell, recording)
    assert found["text/plain"] == "<Recording: add under stack, steps 0 to 11>"
    page = _Checker(found["text/html"])
    assert page.tags == {"iframe", "p", "code"}
    [frame] = page.frames
    assert frame["srcdoc"] == page_of([recording]).text
    assert frame["sandbox"] == "allow-scripts", "the page cannot reach the notebook"
    assert "height: 640px" in frame["style"]
    assert page.text.startswith("add under stack: the page of simtlab view.")


@pytest.mark.parametrize(
    ("name", "limit", "reason"),
    [
        ("MOST_ISSUES", 21, "22 issues, more than 21"),
        ("MOST_MEMORY", 31, "0.0 MB of memory, more than 0.0 MB"),
        ("MOST_BYTES", 200_000, "the page has 0.2 MB, more than 0.2 MB"),
    ],
)
def test_a_large_recording_shows_a_table(shell, monkeypatch, name, limit, reason) -> None:
    monkeypatch.setattr(recordings, name, limit)
    page = _Checker(formats(shell, recorded())["text/html"])
    assert "iframe" not in page.tags
    assert "recordingadd under stacksteps0 to 11issues22warps2 of 4 lanes" in page.text
    assert reason in page.text
    monkeypatch.setattr(recordings, name, limit + 300_000)
    assert "iframe" in _Checker(formats(shell, recorded())["text/html"]).tags


def test_a_page_leaves_values_out_before_a_table_takes_its_place(shell, monkeypatch) -> None:
    whole = len(page_of([recorded(512)]).text)
    monkeypatch.setattr(recordings, "MOST_BYTES", whole - 1000)
    page = _Checker(formats(shell, recorded(512))["text/html"])
    assert len(page.frames[0]["srcdoc"]) <= whole - 1000
    assert "the page has the values of" in page.text


def test_a_large_recording_of_a_run_that_trapped_says_so(shell, monkeypatch) -> None:
    monkeypatch.setattr(recordings, "MOST_ISSUES", 1)
    launch = simtlab.record(simtlab.assemble(ADD).add, items=64, group_size=8, warp=4)
    with pytest.raises(simtlab.Trap):
        launch(64, np.zeros(8, np.uint32))
    text = _Checker(formats(shell, launch.recording)["text/html"]).text
    assert "ended witherror[SIM401]" in text


def test_a_recording_without_an_issue_shows_a_table(shell) -> None:
    launch = simtlab.record(
        simtlab.assemble(ADD).add, items=8, group_size=8, warp=4, window=(90, 91)
    )
    page = _Checker(formats(shell, launch(5, np.zeros(8, np.uint32)))["text/html"])
    assert "iframe" not in page.tags
    assert "nothing was issued in its window, which begins at step 90" in page.text
    assert "to see itrecord another window" in page.text


def test_a_recording_has_no_frame_where_simtlab_is_not_loaded(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    plain = InteractiveShell()
    assert set(formats(plain, recorded())) == {"text/plain"}
    plain.history_manager = None


def test_a_recording_in_a_kernel(tmp_path, monkeypatch) -> None:
    """The message that a notebook gets from a process of its own."""
    from jupyter_client.manager import start_new_kernel

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    manager, client = start_new_kernel(startup_timeout=PATIENCE, kernel_name="python3")
    sent: list[dict[str, Any]] = []
    code = (
        f"%load_ext simtlab\nimport numpy as np, simtlab\nprogram = simtlab.assemble({ADD!r})\n"
        "simtlab.record(program.add, items=8, group_size=8, warp=4)(5, np.zeros(8, np.uint32))"
    )
    try:
        reply = client.execute_interactive(code, output_hook=sent.append, timeout=PATIENCE)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert reply["content"]["status"] == "ok", reply
    [data] = [m["content"]["data"] for m in sent if m["msg_type"] == "execute_result"]
    assert data["text/plain"] == "<Recording: add under stack, steps 0 to 11>"
    assert _Checker(data["text/html"]).frames[0]["srcdoc"] == page_of([recorded()]).text


def test_importing_simtlab_does_not_import_ipython() -> None:
    import subprocess
    import sys

    code = "import simtlab, sys; simtlab.assemble('kernel k() {\\n ret\\n}'); "
    code += "print([m for m in ('IPython', 'pygments', 'pygls') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
