"""Composition: what is refused, what is cached, what is compiled."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from simtlab.emu.jit.llvm.toolchain import Level
from simtlab.emu.recent import Recent
from simtlab.timing.compiler import compose as composition
from simtlab.timing.compiler.compose import compose
from simtlab.timing.compiler.engine_state import EngineState
from simtlab.timing.compiler.files import files_of, find
from simtlab.timing.compiler.inspection import CompositionError
from simtlab.timing.compiler.native import entry as native_code
from simtlab.timing.compiler.native.entry import native
from simtlab.timing.compiler.native.translation import native_ir
from simtlab.timing.machines import machine

TOY = machine.load("toy", {"memory": "ideal"})
FILES = files_of(TOY, find("conv"))


def engine_file(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(
        "from __future__ import annotations\n"
        "from simtlab.timing.engine.intrinsics import device, record, table\n"
        + textwrap.dedent(text)
    )
    return str(path)


def without(part: str) -> list[str]:
    return [f for f in FILES if part not in f]


def test_every_function_that_the_entry_reaches_is_translated_once(tmp_path, monkeypatch):
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path))
    path = engine_file(
        tmp_path,
        "mine.py",
        """
        @device
        def wake_all(S, n):
            return wake(S, n, n, n) + wake(S, n, True, -1)
    """,
    )
    engine = compose((*FILES, path))
    EngineState(engine, TOY).run(1)
    native(engine, "wake_all")  # another entry into the same namespace
    found = native_ir(vars(engine.namespace), "run", "entry", engine.fields)
    names = re.findall(r'^define internal \w+ @"(\w+)"', found, re.MULTILINE)
    assert {"run", "dispatch", "access", "on_branch"} <= set(names)
    assert len(names) == len(set(names))
    assert set(names) <= set(engine.device_functions())
    assert "wake_all" not in names


def test_a_required_hook_that_no_file_fills():
    with pytest.raises(CompositionError, match=r"no file of this engine fills 'rank'") as caught:
        compose(without("schedule"))
    assert "a scheduler is a file with `rank(S, w, g, t)`" in str(caught.value)


def test_a_scheduler_given_as_a_policy(tmp_path):
    """The message names the option that takes it."""
    path = engine_file(tmp_path, "mine.py", "@device\ndef rank(S, w, g, t):\n    return g\n")
    with pytest.raises(CompositionError, match="another file of this engine has defined") as caught:
        compose((*FILES, path))
    assert caught.value.first.hint == ("a file that fills it is a scheduler: --set scheduler=F.py")


def test_a_hook_that_only_some_engines_call_is_filled_there():
    """The modes of memory_split part lanes; how they do it, another file says."""
    compose(FILES)  # nothing calls `has_room` there
    with pytest.raises(CompositionError, match=r"fills '\w+', which memory_split.py:\d+ calls"):
        compose((*FILES, "policy/memory_split"))


def test_a_word_that_hooks_declare_is_given_by_no_file(tmp_path):
    path = engine_file(
        tmp_path,
        "mine.py",
        """
        def setup(machine):
            return {"access_hits": 1}
    """,
    )
    engine = compose((*FILES, path), plain=True)
    with pytest.raises(CompositionError, match=r"field 'access_hits', as does engine/hooks"):
        EngineState(engine, TOY)


@pytest.mark.parametrize("plain", [True, False])
def test_answers_have_their_declared_values_before_a_hook(tmp_path, plain):
    """A memory that sets nothing serves all lanes from its first level, without a wait."""
    path = engine_file(
        tmp_path,
        "mine.py",
        """
        answer = table("answer", record(hits="i8", at="i8", bubbles="i8", bank="i8"))
        @device
        def simd_access(S, w, g, lanes, t):
            return t + 5
        @device
        def look(S, n):
            S.access_hits = 1
            S.access_hits_at = 99
            S.access_bubbles = 3
            S.access_until_bank = 7
            simd_access(S, 0, 0, 6, n)
            answer(S, 0).hits = S.access_hits
            answer(S, 0).at = S.access_hits_at
            answer(S, 0).bubbles = S.access_bubbles
            answer(S, 0).bank = S.access_until_bank
            return 0
        def setup(machine):
            return {"answer": 1}
    """,
    )
    engine = compose((*without("memory/ideal"), path), plain=plain)
    state = EngineState(engine, TOY)
    if plain:
        engine.namespace.look(state.S, 40)
    else:
        native(engine, "look")(state.words.ctypes.data, 40)
    assert state.rows["answer"][0].tolist() == (6, 40, 0, 0)


RANK = "@device\ndef rank(S, w, g, t):\n    return {}\n"
REFUSED = {
    "a parameter that hides a table": (
        "@device\ndef rank(S, w, group, t):\n    return group\n",
        r"mine.py:4: the parameter 'group' of rank hides the table 'group'",
    ),
    "waiting_lanes is a function": ("waiting_lanes = 3\n", r"mine.py: waiting_lanes is not a func"),
    "a hook with other arguments": (
        "@device\ndef rank(S, w, g):\n    return 0\n",
        r"'rank' takes \(S, w, g, t\), not \(S, w, g\)",
    ),
    "a hook that is never called": (
        RANK.format("g") + "@device\ndef on_stal(S, w, t):\n    return 0\n",
        r"'on_stal' is not a hook(.|\n)*on_stall",
    ),
    "a name that no file defines": (
        RANK.format("gruop(S, g).seq"),
        r"mine.py:5: rank uses 'gruop'(.|\n)*group",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_refused(tmp_path, name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(CompositionError, match=message):
        compose((*without("schedule"), engine_file(tmp_path, "mine.py", text)))


def test_a_name_that_two_files_define():
    with pytest.raises(CompositionError, match=r"defines 'rank', which another file"):
        compose((*FILES, "schedule/gto"))


def test_a_file_that_is_not_there():
    with pytest.raises(CompositionError, match=r"unknown engine file 'schedule/unknown'"):
        compose((*FILES, "schedule/unknown"))
    with pytest.raises(CompositionError, match="did you mean `policy/splits`"):
        compose((*FILES, "policy/split"))


def test_a_table_without_a_size(tmp_path):
    path = engine_file(
        tmp_path,
        "mine.py",
        """
        mine = table("mine", record(a="i8"))
        @device
        def rank(S, w, g, t):
            return mine(S, g).a
    """,
    )
    engine = compose((*without("schedule"), path), plain=True)
    with pytest.raises(CompositionError, match="how large table 'mine' is"):
        EngineState(engine, TOY)


_COUNT = """
import sys
from simtlab.timing.machines import machine
from simtlab.timing.compiler.compose import compose
from simtlab.timing.compiler.engine_state import EngineState
from simtlab.timing.compiler.files import files_of, find
toy = machine.load("toy", {"memory": "ideal"})
files = [f for f in files_of(toy, find("conv")) if "schedule" not in f]
engine = compose((*files, sys.argv[1]))
EngineState(engine, toy).run(1)
translated = "simtlab.timing.compiler.native.translation" in sys.modules
print("kept" if engine.entry.code.from_cache else "made", translated)
"""


def test_an_engine_is_compiled_once_and_again_when_a_policy_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path / "cache"))

    def run(body: str) -> str:
        path = engine_file(
            tmp_path,
            "mine.py",
            f"""
            @device
            def rank(S, w, g, t):
                return {body}
        """,
        )
        done = subprocess.run(
            [sys.executable, "-c", _COUNT, path], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert run("g") == "made True"
    assert run("g") == "kept False"
    assert run("-g") == "made True"
    assert run("g") == "kept False"


def test_a_policy_may_change_any_number_of_times(tmp_path, monkeypatch):
    kept = Recent(2, forget=composition._COMPOSED.forget)
    monkeypatch.setattr(composition, "_COMPOSED", kept)
    before = set(sys.modules)

    def engines() -> int:
        return sum(name.startswith("simtlab_engine_") for name in set(sys.modules) - before)

    for number in range(4):
        path = engine_file(tmp_path, "mine.py", f"@device\ndef mine(S):\n    return {number}\n")
        found = compose([*FILES, path], plain=True)
        assert compose([*FILES, path], plain=True) is found
    assert len(kept) == engines() == 2
    with pytest.raises(CompositionError):
        compose([*FILES, engine_file(tmp_path, "mine.py", "x = y\n")], plain=True)
    assert engines() == 2


def test_an_engine_that_runs_long_is_compiled_with_all_effort(monkeypatch, tmp_path):
    """It goes on where it was: the state is between two events."""
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path / "cache"))
    path = engine_file(
        tmp_path,
        "mine.py",
        """
        @device
        def rank(S, w, g, t):
            return g
        @device
        def count(S, n):
            S.picks += 1
            return S.picks * n
    """,
    )
    engine = compose((*without("schedule"), path))
    state = EngineState(engine, TOY)
    header, count = state.words.ctypes.data, native(engine, "count")
    assert (count(header, 10), count(header, 10), count.level) == (10, 20, Level.PLAIN)
    monkeypatch.setattr(native_code, "PATIENCE", 0.0)
    assert (count(header, 10), count(header, 10), count.level) == (30, 40, Level.WHOLE)
    kept = native(engine, "count")
    assert (kept.level, kept.code.from_cache, kept(header, 10)) == (Level.WHOLE, True, 50)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x = 'text' + t", r"mine\.py:7: a string is not a 64-bit integer"),
        ("x = group(S, g).colour", r"mine\.py:7: group has no field 'colour'"),
        ("group(S, g).colour = 1", r"mine\.py:7: group has no field 'colour'"),
        ("group(S, g).hitz = 1", r"group has no field 'hitz'\n.*did you mean `hits`"),
        ("S.wpuz = 1", r"S has no field 'wpuz'\n.*did you mean `wpus`"),
        ("S.colour = 1", r"S has no field 'colour'\n.*`setup` gives S .* return {\"colour\": 0}"),
    ],
)
def test_what_is_no_engine_code_is_told_in_a_line(tmp_path, line, message):
    path = engine_file(
        tmp_path,
        "mine.py",
        f"""
        @device
        def rank(S, w, g, t):
            x = 0
            {line}
            return t
    """,
    )
    with pytest.raises(CompositionError, match=message):
        EngineState(compose((*without("schedule"), path)), TOY)


def test_print_is_for_uncompiled_engines(tmp_path, monkeypatch):
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path))
    path = engine_file(
        tmp_path,
        "mine.py",
        """
        @device
        def rank(S, w, g, t):
            print(1)
            return g
    """,
    )
    with pytest.raises(CompositionError, match=r"mine.py:6: rank calls print.*plain=True"):
        EngineState(compose((*without("schedule"), path)), TOY)


def test_a_setting_that_a_file_wants_and_no_policy_gives():
    files = files_of(TOY, find("dws.branch-only"))
    with pytest.raises(CompositionError, match=r"reads the setting '[a-z-]+'"):
        EngineState(compose(files, plain=True), TOY)
