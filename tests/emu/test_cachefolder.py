"""The cache folder is the user's own, or there is none: code is loaded from it and run."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from simtlab.emu import cachefolder
from simtlab.emu.cachefolder import VARIABLE, Refused, location, noticed, opened, problem
from simtlab.emu.jit.llvm import cache
from simtlab.isa.errors import UsageError

from ..quick import count

NOT_OURS = {".types", ".venv", "build", "dist", "tests"}

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners and modes")


@pytest.fixture(autouse=True)
def no_notice_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cachefolder, "_said", set())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "some" / "cache"))
    return tmp_path / "some" / "cache"


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def read(name: str) -> None:
    with opened("jit") as folder:
        assert folder is not None
        folder.read(name)


def refusal() -> str:
    with pytest.raises(Refused) as found, opened("jit"):
        pass
    return str(found.value)


@pytest.mark.usefixtures("open_umask")
def test_new_folders_and_files_are_the_user_s_alone(place: Path) -> None:
    cache.store("key", b"code")
    assert [mode(p) for p in (place.parent, place, place / "jit")] == [0o700] * 3
    files = list((place / "jit").iterdir())
    assert {f.name for f in files} == {"key.obj", "swept"}
    assert {mode(f) for f in files} == {0o600}
    assert cache.load("key") == b"code"


@pytest.mark.parametrize("bits", [0o020, 0o002, 0o022])
@pytest.mark.parametrize("inner", ["", "jit"])
def test_a_folder_that_others_can_write_is_refused(place: Path, bits: int, inner: str) -> None:
    cache.store("key", b"code")
    (place / inner).chmod(0o700 | bits)
    assert "other users can write" in refusal()
    assert cache.load("key") is None
    (place / inner).chmod(0o700)
    assert cache.load("key") == b"code"


def test_a_file_that_others_can_write_is_refused_and_replaced(place: Path) -> None:
    cache.store("key", b"code")
    entry = place / "jit" / "key.obj"
    entry.chmod(0o666)
    assert cache.load("key") is None
    cache.store("key", b"new")
    assert mode(entry) == 0o600
    assert cache.load("key") == b"new"


def test_what_belongs_to_another_user_is_refused(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store("key", b"code")
    real = os.fstat

    def of_another(which: object) -> object:
        def fstat(number: int) -> object:
            found = real(number)
            other = found.st_uid + os.path.samestat(found, os.stat(str(which)))
            return SimpleNamespace(st_mode=found.st_mode, st_uid=other, st_mtime=found.st_mtime)

        return fstat

    for path in (place, place / "jit", place / "jit" / "key.obj"):
        monkeypatch.setattr(cachefolder.os, "fstat", of_another(path))
        with pytest.raises(Refused, match=f"{path} belongs to another user"):
            read("key.obj")
        assert cache.load("key") is None
    monkeypatch.setattr(cachefolder.os, "fstat", real)
    assert cache.load("key") == b"code"


def test_a_link_in_place_of_a_folder_is_not_followed(place: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "jit").mkdir(parents=True)
    place.parent.mkdir()
    place.symlink_to(elsewhere)
    assert f"{place} is a symbolic link; {VARIABLE} can name" in refusal()
    place.unlink()
    place.mkdir(mode=0o700)
    (place / "jit").symlink_to(elsewhere / "jit")
    assert f"{place / 'jit'} is a symbolic link" in refusal()
    cache.store("key", b"code")
    assert not list((elsewhere / "jit").iterdir())


def test_a_link_in_place_of_a_file_is_not_followed(place: Path, tmp_path: Path) -> None:
    cache.store("key", b"code")
    entry = place / "jit" / "key.obj"
    other = tmp_path / "other"
    entry.rename(other)
    entry.symlink_to(other)
    assert cache.load("key") is None
    cache.store("key", b"new")
    assert not entry.is_symlink()
    assert cache.load("key") == b"new"


def test_a_link_above_the_folder_is_followed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    place.parent.symlink_to(tmp_path / "disk")
    cache.store("key", b"code")
    assert cache.load("key") == b"code"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_not_a_file_is_refused_at_once(place: Path, make) -> None:
    cache.store("other", b"code")
    make(place / "jit" / "key.obj")
    assert cache.load("key") is None


def test_the_notice_comes_once_and_says_why(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache.store("key", b"code")
    assert capsys.readouterr().err == ""
    (place / "jit").chmod(0o777)
    for _ in range(3):
        assert cache.load("key") is None
        cache.store("key", b"code")
    assert capsys.readouterr().err == (
        f"notice: other users can write {place}/jit; expected a folder and files of your own; "
        "compiled code is not kept\n"
    )


@pytest.mark.parametrize("stream", [None, "full"])
def test_a_notice_that_nobody_can_hear_does_no_harm(
    place: Path, monkeypatch: pytest.MonkeyPatch, stream: str | None
) -> None:
    class Full:
        def write(self, text: str) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full() if stream else None)
    with noticed():
        raise Refused("something")


def test_a_relative_folder_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "cache")
    with pytest.raises(UsageError, match="expected an absolute path"):
        cache.load("key")
    assert "expected an absolute path" in problem("jit")


def test_the_null_device_means_no_cache_and_no_notice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, os.devnull)
    cache.store("key", b"code")
    assert cache.load("key") is None
    assert capsys.readouterr().err == ""
    assert VARIABLE in problem("jit")


def test_a_relative_xdg_folder_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "shared")
    assert location() == tmp_path / ".cache" / "simtlab"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert location() == tmp_path / "shared" / "simtlab"


def test_without_a_home_there_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pwd

    def nobody(number: int) -> None:
        raise KeyError(number)

    for name in (VARIABLE, "HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.chdir(tmp_path)
    cache.store("key", b"code")
    assert cache.load("key") is None
    assert capsys.readouterr().err.startswith("notice: the home folder, which")
    assert not list(tmp_path.iterdir())


def test_random_flips_in_every_file_of_the_cache_change_no_result(tmp_path: Path) -> None:
    code = """
import numpy as np, simtlab
x, y = np.arange(64, dtype=np.float32), np.ones(64, np.float32)
k = simtlab.assemble('''kernel k(global f32* %x) {
  workitemabsid_u32 $s0, 0
  ld_kernarg_u64 $d0, [%x]
  cvt_u64_u32 $d1, $s0
  mad_u64 $d0, $d1, 4, $d0
  ld_global_f32 $s1, [$d0]
  fma_f32 $s1, $s1, $s1, $s1
  st_global_f32 $s1, [$d0]
  ret
}''')
k.k[2, 32](x)
assert (x == np.arange(64) * (np.arange(64) + 1)).all()
"""
    environment = {**os.environ, VARIABLE: str(tmp_path / "c"), "XDG_CACHE_HOME": str(tmp_path)}

    def run() -> None:
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")

    run()
    chance = random.Random(1)
    for _ in range(count(1, 4)):
        for path in tmp_path.rglob("*"):
            if path.is_file() and (data := bytearray(path.read_bytes())):
                for place in chance.sample(range(len(data)), min(3, len(data))):
                    data[place] ^= 1 << chance.randrange(8)
                path.write_bytes(data)
        run()
    assert list(tmp_path.rglob("*.obj"))


def test_nothing_is_unpickled_and_one_function_finds_the_cache_folder() -> None:
    root = Path(__file__).parents[2]
    files = [f for f in root.rglob("*.py") if f.relative_to(root).parts[0] not in NOT_OURS]
    assert len(files) > 200
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "allow_pickle=True" not in text, file
        assert "import pickle" not in text, file
        assert "user_cache_path" not in text or file.name == "cachefolder.py", file
