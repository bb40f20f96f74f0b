"""The page as a file: what it holds, what it leaves out, how it is refused."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

import simtlab
from simtlab.recording.recording import Recording
from simtlab.viewer import page as viewer

SOURCE = """
kernel fill(global u32* %x, u32 %n) {
    workitemabsid_u32   $s0, 0
    mov_u32             $s1, 0
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%x]
    mad_u64             $d0, $d0, 4, $d1
    ld_kernarg_u32      $s2, [%n]
@again:
    mul_u32             $s3, $s1, 2654435761
    st_global_u32       $s3, [$d0]
    add_u32             $s1, $s1, 1
    cmp_lt_u32          $c0, $s1, $s2
    cbr                 $c0, @again
    ret
}
"""


def filled(items: int = 64, n: int = 10) -> Recording:
    kernel = simtlab.assemble(SOURCE)["fill"]
    return simtlab.record(kernel, items=items, warp=8)(np.zeros(items, np.uint32), n)


def embedded(text: str) -> list[dict[str, np.ndarray]]:
    """Return the members of the recordings in a page."""
    found = re.findall(r'simtlab-recording" data-name="[^"]*">([^<]*)</script>', text)
    return [dict(np.load(io.BytesIO(base64.b64decode(data)))) for data in found]


def test_the_page_has_tables_and_values_and_no_object_files() -> None:
    recording = filled()
    [members] = embedded(viewer.page_of([recording]).text)
    assert set(members) == (set(recording.arrays()) - {"program_0"}) | {
        "value",
        "address",
        "stored",
    }
    assert members["stored"].tolist() == recording.values().stored.tolist()


def test_view_writes_one_file_that_needs_no_other(tmp_path: Path) -> None:
    found = simtlab.view(filled(), tmp_path / "fill.html", title="a {{script}} <b>")
    text = found.read_text("utf-8")
    assert "<title>a {{script}} &lt;b&gt;</title>" in text
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", text)
    assert "default-src 'none'" in text
    assert text.count("Permission is hereby granted, free of charge") == 6  # packages in the page
    assert "{{" not in text.split("<title>")[0]
    assert text == simtlab.view(
        filled(), tmp_path / "again.html", title="a {{script}} <b>"
    ).read_text("utf-8")


def test_a_recording_without_an_issue_makes_no_page(tmp_path: Path) -> None:
    (kernel,) = simtlab.assemble("kernel k() {\n    nop\n    ret\n}")
    recording = simtlab.record(kernel, items=4, group_size=4, window=(90, 91))()
    with pytest.raises(simtlab.SimtError) as caught:
        simtlab.view(recording, tmp_path / "page.html")
    assert str(caught.value) == (
        "error[SIM515]: k under stack: there is nothing to show: nothing was issued in its window, "
        "which begins at step 90\n = help: record another window, or all of the run"
    )
    assert not (tmp_path / "page.html").exists()


def test_values_are_kept_for_as_many_warps_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = filled(items=512, n=16)
    whole = viewer.page_of([recording])
    assert whole.remarks == []
    monkeypatch.setattr(viewer, "MOST_BYTES", 0)
    plain = viewer.page_of([recording])
    assert "value" not in embedded(plain.text)[0]
    assert "has no values of registers and memory" in plain.remarks[0]
    assert "MB, and a browser may be slow: its runs have" in plain.remarks[1]
    monkeypatch.setattr(viewer, "MOST_BYTES", (len(plain.text) + len(whole.text)) // 2 + 1000)
    page = viewer.page_of([recording])
    assert len(page.text) <= viewer.MOST_BYTES
    [members] = embedded(page.text)
    kept = json.loads(members["facts"].tobytes())["kept"]
    assert 0 < len(kept) < 64
    assert members["value"].tolist() == recording.values(kept).value.tolist()
    [remark] = page.remarks
    assert f"has the values of {len(kept)} of 64 warps" in remark


def test_a_recording_that_begins_late_has_no_values() -> None:
    kernel = simtlab.assemble(SOURCE)["fill"]
    late = simtlab.record(kernel, items=8, warp=8, window=(5, 20))(np.zeros(8, np.uint32), 10)
    page = viewer.page_of([late])
    assert "value" not in embedded(page.text)[0]
    assert "known only from the start" in page.remarks[0]


def test_pages_that_cannot_be_made(tmp_path: Path) -> None:
    recording = filled()
    with pytest.raises(simtlab.UsageError, match=r"a page ends in .html, not '.*x\.txt'"):
        simtlab.view(recording, tmp_path / "x.txt")
    other = simtlab.record(simtlab.assemble("kernel k() {\n ret\n}\n")["k"], items=8)()
    with pytest.raises(simtlab.UsageError, match="no kernel in common: one has fill, the other k"):
        simtlab.view(recording, tmp_path / "x.html", compare=other)
