"""The disk cache of compiled code: it saves time, and nothing that happens to it may do harm."""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simtlab.emu import cachefolder
from simtlab.emu.jit.llvm import cache
from simtlab.emu.jit.llvm import toolchain as build
from simtlab.emu.jit.llvm.toolchain import Compiled, Level, compile_text
from simtlab.isa.errors import UsageError


def text_of(value: int) -> str:
    return f"define i32 @answer() {{\n  ret i32 {value}\n}}\n"


def call(compiled: Compiled) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int32)(compiled["answer"])()


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "jit"


def answer(value: int, key: str | None = "key", level: Level = Level.FULL) -> Compiled:
    compiled = compile_text(text_of(value), ["answer"], key=key, level=level)
    assert call(compiled) == value
    return compiled


def entries(place: Path) -> list[Path]:
    return sorted(place.glob("*.obj"))


def test_the_second_time_comes_from_the_cache_and_needs_no_text(place):
    assert not answer(1).from_cache
    again = compile_text(lambda: pytest.fail("asked for the text"), ["answer"], key="key")
    assert again.from_cache
    assert call(again) == 1


def test_another_key_level_or_surrounding_misses(place, monkeypatch):
    answer(1)
    assert not answer(2, key="another").from_cache
    assert not answer(3, level=Level.QUICK).from_cache
    monkeypatch.setattr(build, "_surroundings", lambda: "another version")
    assert not answer(4).from_cache
    assert len(entries(place)) == 4


def test_an_edit_in_any_folder_that_shapes_code_changes_the_digest(tmp_path, monkeypatch):
    package = Path(build.__file__).parents[3]
    folders = ("isa", "asm/flow", "emu/analysis", "emu/jit")
    for folder in folders:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(package / folder, tmp_path / folder, ignore=ignored)
    monkeypatch.setattr(build, "__file__", str(tmp_path / "emu" / "jit" / "llvm" / "toolchain.py"))
    edited = [path for folder in folders for path in (tmp_path / folder).rglob("__init__.py")]
    edited += (tmp_path / "emu").rglob("*.ll")
    assert tmp_path / "emu" / "jit" / "kernel" / "memory" / "__init__.py" in edited
    for path in edited:
        before = build._sources()
        path.write_bytes(path.read_bytes() + b"\n")
        assert build._sources() != before, path


def test_without_a_key_nothing_is_written(place):
    answer(1, key=None)
    assert not place.exists()


@pytest.mark.parametrize("change", ["flip", "cut", "empty", "header"])
def test_a_damaged_entry_is_compiled_again_and_replaced(place, change):
    answer(1)
    [entry] = entries(place)
    good = entry.read_bytes()
    flipped = bytearray(good)
    flipped[-100] ^= 1
    damaged = {"flip": flipped, "cut": good[:-1], "empty": b"", "header": good[:10]}
    entry.write_bytes(damaged[change])
    assert not answer(2).from_cache
    assert answer(2).from_cache


def test_an_entry_without_the_function_is_compiled_again(place):
    other = "define void @other() {\n  ret void\n}\n"
    compile_text(other, ["other"], key="key")
    assert not answer(5).from_cache
    assert answer(5).from_cache


def test_a_folder_that_cannot_be_used_does_not_matter(place):
    place.parent.mkdir()
    place.write_text("a file is in the way")
    assert not answer(1).from_cache
    assert not answer(1).from_cache


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_read_only_folder_does_not_matter(place):
    answer(1)
    place.chmod(0o500)
    try:
        assert answer(1).from_cache
        assert not answer(2, key="another").from_cache
    finally:
        place.chmod(0o700)


@pytest.mark.parametrize("failing", ["_open", "replace"])
def test_a_disk_that_is_full_or_read_only_does_not_matter(place, monkeypatch, failing):
    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    owner = cachefolder.Folder if failing == "_open" else cachefolder.os
    monkeypatch.setattr(owner, failing, fail)
    assert not answer(1).from_cache
    assert list(place.iterdir()) == []


def test_entries_nobody_used_for_long_are_removed_once_a_week(place):
    answer(1, key="old")
    [old] = entries(place)
    answer(2, key="used")
    [used] = [e for e in entries(place) if e != old]
    left_behind = place / "new-broken.tmp"
    left_behind.touch()
    long_ago = time.time() - 61 * 24 * 3600
    for path in (old, used, left_behind):
        os.utime(path, (long_ago, long_ago))
    answer(3, key="too soon")
    assert old.exists()
    assert answer(2, key="used").from_cache  # which is noted
    os.utime(place / "swept", (long_ago, long_ago))
    answer(4, key="later")
    assert not old.exists()
    assert not left_behind.exists()
    assert used.exists()


_PROCESS = """
import ctypes, sys, time
from simtlab.emu.jit.llvm.toolchain import compile_text

while time.time() < float(sys.argv[1]):
    pass
hits = 0
for number in range(40):
    text = f"define i32 @answer() {{ ret i32 {number} }}"
    compiled = compile_text(text, ["answer"], key=text)
    hits += compiled.from_cache
    assert ctypes.CFUNCTYPE(ctypes.c_int32)(compiled["answer"])() == number
print(hits)
"""


def start_process(when: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _PROCESS, str(when)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_at_once_and_one_after_them(place):
    when = time.time() + 1.0
    together = [start_process(when) for _ in range(2)]
    for process in together:
        process.communicate()
        assert process.returncode == 0
    later = start_process(0.0)
    hits, _ = later.communicate()
    assert later.returncode == 0
    assert int(hits) == 40
    assert len(entries(place)) == 40
    assert not list(place.glob("*.tmp"))


def test_helpers_are_resolved_by_name_and_code_lives_as_long_as_it_is_held(place):
    double = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(lambda x: 2 * x)
    address = ctypes.cast(double, ctypes.c_void_p).value
    assert address is not None
    text = (
        "declare i32 @host_double(i32)\n"
        "define i32 @answer() {\n  %r = call i32 @host_double(i32 21)\n  ret i32 %r\n}\n"
    )
    for _ in range(3):
        compiled = compile_text(text, ["answer"], key=text, symbols={"host_double": address})
        assert call(compiled) == 42
    with pytest.raises(RuntimeError):
        compile_text(text, ["answer"])


def test_more_code_than_the_system_has_room_for_is_refused(place, monkeypatch):
    gc.collect()  # what other tests have left would be let go of in the midst of this one
    most = len(build._alive) + 2
    monkeypatch.setattr(build, "most_modules", lambda: most)
    held = [answer(1), answer(2, key="another")]
    with pytest.raises(UsageError, match="let go of modules"):
        answer(3, key="a third")
    held.pop()
    answer(3, key="a third")


def test_both_dumps_show_the_function(place):
    assert "ret i32 7" in build.dump(text_of(7), "llvm")
    assert "answer:" in build.dump(text_of(7), "asm")
