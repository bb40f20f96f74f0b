"""What a policy or scheduler of the user's may have wrong: one message, with its file and line."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest

import simtlab
from simtlab.isa.errors import UsageError
from simtlab.testing import policy_contract
from simtlab.timing.compiler import compose as composition
from simtlab.timing.compiler.choice import choose, refusal
from simtlab.timing.compiler.compose import compose
from simtlab.timing.compiler.engine_state import EngineState
from simtlab.timing.compiler.files import POLICIES, configured, files_of, find
from simtlab.timing.compiler.inspection import CompositionError, own_files
from simtlab.timing.machines import machine
from simtlab.timing.simulation.failures import BooksError

TOY = machine.load("toy", {"memory": "ideal"})
ENGINE = Path(composition.__file__).parent
EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"

HEAD = "from simtlab.timing.engine.intrinsics import device\n"
RANK = "\n@device\ndef rank(S, w, g, t):\n    return g\n"


def scheduler(folder: Path, text: str) -> list[str]:
    """The files of an engine with a scheduler of the user's: `mine.py`, whose line 2 is blank."""
    path = folder / "mine.py"
    path.write_text(HEAD + textwrap.dedent(text))
    found = machine.load("toy", {"memory": "ideal", "scheduler": str(path)})
    return list(files_of(found, find("conv")))


def ranked(*lines: str) -> str:
    """A scheduler whose `rank` begins in line 4, and has these lines from the fifth on."""
    return "\n@device\ndef rank(S, w, g, t):\n" + "".join(f"    {line}\n" for line in lines)


def refused(folder: Path, text: str, *, plain: bool = False, part: str = "message") -> str:
    with pytest.raises(CompositionError) as caught:
        EngineState(compose(scheduler(folder, text), plain=plain), TOY)
    return getattr(caught.value.first, part)


# --- code, before it is compiled


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["x = [1, 2, w]", "return g"], "mine.py:5: rank makes a list"),
        (["x = {1: w}", "return g"], "mine.py:5: rank makes a dictionary"),
        (["x = {1, w}", "return g"], "mine.py:5: rank makes a set"),
        (["x = f'{w}'", "return g"], "mine.py:5: rank makes a string"),
        (["x = sum(i for i in range(w))", "return g"], "mine.py:5: rank makes a function"),
        (["if g < 0:", "    raise ValueError", "return g"], "mine.py:6: rank raises an exception"),
        (["assert g > 0", "return g"], "mine.py:5: rank asserts"),
        (["import math", "return g"], "mine.py:5: rank imports a module"),
        (["print(g)", "return g"], "mine.py:5: rank calls print"),
    ],
)
def test_python_in_engine_code(tmp_path, lines, message):
    assert refused(tmp_path, ranked(*lines)).startswith(message)
    compose(scheduler(tmp_path, ranked(*lines)), plain=True)  # a debugger wants some of this


def test_constant_lists_and_what_is_never_reached(tmp_path):
    lines = ["x, y = w, g", "if g in [1, 2] and not False:", "    return x + y", "return g"]
    compose(scheduler(tmp_path, ranked(*lines, "raise ValueError")))


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    "lines",
    [["pass"], ["if g > 3:", "    return g"], ["if g > 3:", "    return"], ["return None"]],
)
def test_a_hook_that_ends_without_a_number(tmp_path, lines, plain):
    message = refused(tmp_path, ranked(*lines), plain=plain)
    assert message.startswith(("mine.py:5: rank may end here", "mine.py:6: rank may end here"))
    assert message.endswith("a hook returns a number")


def test_a_function_that_ends_with_a_number_or_without(tmp_path):
    helper = "\n@device\ndef helper(S, g):\n    if g > 3:\n        return 1\n    S.now += 0\n"
    message = refused(tmp_path, helper + RANK)
    assert message.startswith("mine.py:7: helper may end here without returning a number; else")
    compose(scheduler(tmp_path, "\n@device\ndef helper(S, g):\n    S.now += 0\n" + RANK))


@pytest.mark.parametrize("plain", [False, True])
def test_a_hook_without_its_mark(tmp_path, plain):
    message = refused(tmp_path, RANK.replace("@device\n", ""), plain=plain)
    assert message == "mine.py:3: hook 'rank' is not marked as engine code"


def test_a_function_without_its_mark(tmp_path):
    text = "\ndef more(x):\n    return x + 1\n" + ranked("return more(g)")
    assert refused(tmp_path, text) == (
        "mine.py:8: rank uses 'more' (mine.py:3), which is not marked as engine code"
    )


def test_a_function_for_setup_needs_no_mark(tmp_path):
    text = "\ndef limit(machine):\n    return [machine.width][0]\n" + RANK
    compose(scheduler(tmp_path, text + "\ndef setup(machine):\n    return {'x': limit(machine)}\n"))


def test_a_hook_with_other_arguments_and_one_that_is_never_called(tmp_path):
    few = RANK.replace("g, t", "g")
    assert refused(tmp_path, few).startswith("mine.py:4: hook 'rank' takes (S, w, g, t)")
    odd = RANK + RANK.replace("rank", "on_stal")
    assert refused(tmp_path, odd) == "mine.py:8: 'on_stal' is not a hook of the engine"


def test_a_function_that_another_file_has(tmp_path):
    twice = RANK + RANK.replace("rank", "wake")
    assert refused(tmp_path, twice).startswith("mine.py:8 defines 'wake', which another file")


# --- code that is no engine code


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["return w / 2 & 1"], "5: `/` computes a fraction; write `//`"),
        (["return g * 0.5"], "5: a fraction is not a 64-bit integer"),
        (["return g ** 2"], "5: engine code cannot use `**`; write `1 << n` for a power of two"),
        (["return g if g in (1, 2) else t"], "5: engine code cannot use `in`"),
        (
            ["return (1, 2)[g]"],
            "5: engine code cannot use an index; record i of a table is `name(S, i)`",
        ),
        (["return 1 << 64"], "5: a number of 64 bits is not shifted by 64"),
        (["return 0x8000000000000000"], "5: 9223372036854775808 is not a 64-bit integer"),
        (
            ["return count_access(S, w, group(S, g), t)"],
            "5: count_access takes a number as 'g', not a group",
        ),
        (["return count_access(S, w, g)"], "5: missing a required argument: 'lanes'"),
        (["return count_access(S, w, g, t, 1)"], "5: count_access takes 4 arguments, not 5"),
        (["return popcount(g, t)"], "5: popcount takes 1 arguments, not 2"),
        (["return group(S, S).mask"], "5: S is the state: expected a number"),
        (["return group(g, g).mask"], "5: group takes the state as 'S', not a number"),
        (["return g.mask"], "5: g is a number, not a record"),
        (["return group(S, g) + 1"], "5: group(S, g) is a group: expected a number"),
        (["x = t", "x = group(S, g)", "return 0"], "6: 'x' is a number above and a group here"),
        (["a, b = t, g, w", "return a"], "5: 3 values for 2 names"),
        (["return group(S, g)"], "4: rank returns a group, not a number"),
        (["return 'first'"], "5: a string is not a 64-bit integer"),
        (["x = sorted((g, t))", "return g"], "5: engine code cannot call 'sorted'"),
        (["open('x')", "return g"], "5: engine code cannot call 'open'"),
        (["return NEVER.bit_length()"], "5: engine code calls functions by their names"),
        (["for i in (1, 2):", "    g += i", "return g"], "5: expected `for NAME in range"),
        (["def f(x):", "    return x", "return f(g)"], "5: rank makes a function"),
        (
            ["try:", "    g += 1", "finally:", "    g += 1", "return g"],
            "5: engine code cannot use `try`",
        ),
    ],
)
def test_what_is_no_engine_code_is_told_at_the_users_line(tmp_path, monkeypatch, lines, message):
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path))
    assert refused(tmp_path, ranked(*lines)).startswith(f"mine.py:{message}")


@pytest.mark.parametrize("parameters", ["*x", "S, *, x=1", "**x"])
def test_a_function_with_parameters_of_any_number(tmp_path, monkeypatch, parameters):
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path))
    text = f"\n@device\ndef more({parameters}):\n    return 1\n"
    called = "return more()" if "S" not in parameters else "return more(S)"
    assert refused(tmp_path, text + ranked(called)) == "mine.py:4: more has parameters with `*`"


# --- the file as a whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import numpyy\n", "mine.py:2: No module named 'numpyy'"),
        (
            "from simtlab.timing.engine.intrinsics import popcountt\n",
            "mine.py:2: simtlab.timing.engine.intrinsics has no 'popcountt'",
        ),
        ("x = 1 / 0\n", "mine.py:2: ZeroDivisionError: division by zero"),
        ("def f():\n    exit(1)\n\n\nf()\n", "mine.py:3: SystemExit: 1"),
        ("setup = 5\n", "mine.py: setup is not a function"),
    ],
)
def test_a_file_that_cannot_be_executed(tmp_path, text, message):
    assert refused(tmp_path, text + RANK, plain=True) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def setup(machine):\n    pass\n", "2: setup returns None, not a dictionary"),
        ("def setup():\n    return {}\n", "2: setup takes one argument, the machine"),
        (
            "def setup(machine):\n    return {'x': 1 / 0}\n",
            "3: setup fails: ZeroDivisionError: division by zero",
        ),
        (
            "def setup(machine):\n    return {'x': machine.policy['y']}\n",
            "3: setup reads the setting 'y', which the policy does not have",
        ),
        *(
            (
                f"def setup(machine):\n    return {{'x': {value}}}\n",
                f"2: setup gives 'x' the value {value}; fields of the state are whole numbers of "
                "64 bits",
            )
            for value in ("'four'", "None", "0.5", str(1 << 63))
        ),
    ],
)
def test_a_setup_that_gives_no_fields(tmp_path, text, message):
    assert refused(tmp_path, text + RANK, plain=True) == f"mine.py:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('EXTENDS = "policy/splits"', "EXTENDS is a tuple of engine files, as "),
        ('GRAIN = "instr"', "GRAIN is 'segment' or 'branch' or 'instruction', not 'instr'"),
        ("SCHEDULER = 5", "SCHEDULER is the name of a scheduler, as "),
        ("EXTENDS = files()", "EXTENDS is a tuple of engine files, as "),
        ('SETTINGS = {"a": 1, "b": 0.5}', "SETTINGS is a dictionary of names with "),
        ('SETTINGS = {"a": None}', "SETTINGS is a dictionary of names with "),
        ("x = (", "this is not an engine file: '(' was never closed"),
        ("return 1", "this is not an engine file: 'return' outside function"),
    ],
)
def test_constants_that_cannot_be(tmp_path, text, message):
    path = tmp_path / "mine.py"
    path.write_text(f'"""Mine."""\n{text}\n')
    with pytest.raises(CompositionError) as caught:
        find(str(path))
    assert caught.value.first.message.startswith(f"mine.py:2: {message}")


def test_one_setting_is_named_among_many(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text('SETTINGS = {"a": 1, "b": 0.5}\n')
    with pytest.raises(CompositionError, match=r"not \{'b': 0.5\}"):
        find(str(path))


def test_a_file_that_is_none_is_a_policy_that_no_machine_runs(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("x = (\n")
    (conv, mine), first = choose(f"conv,{path}", "toy", {}, str(path))
    assert (conv.name, mine.name, first) == ("conv", "mine", "mine")
    with pytest.raises(UsageError, match="'\\(' was never closed"):
        configured(TOY, mine)


# --- books

MISCOUNTS = f"""
from simtlab.timing.engine.intrinsics import device

EXTENDS = {POLICIES["conv"].files!r}


@device
def on_turn(S, w, t):
    wpu(S, w).n_warp_instr += 1
    return 0
"""


def test_books_that_do_not_add_up_are_the_files_fault(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MISCOUNTS)
    program = simtlab.assemble("kernel k() {\n    ret\n}\n")
    launch = simtlab.simulate(program.k, machine=TOY, policy=str(path), items=8, plain=True)
    with pytest.raises(BooksError, match=r"do not add up under mine\.py: issued instructions"):
        launch()
    assert launch.simulation is not None  # what was counted is told
    assert not launch.simulation.finished
    with pytest.raises(AssertionError, match=r"mine: .*do not add up"):
        policy_contract(path, examples=1, shrink=False)


def test_books_of_ours_that_do_not_add_up_are_a_bug(monkeypatch):
    def wrong(*_: object) -> None:
        raise AssertionError("lanes: 1, expected 2")

    monkeypatch.setattr("simtlab.timing.simulation.simulator.check", wrong)
    program = simtlab.assemble("kernel k() {\n    ret\n}\n")
    with pytest.raises(AssertionError, match="lanes: 1"):
        simtlab.simulate(program.k, machine=TOY, items=8, plain=True)()


# --- several files of the user's in one engine


def declaring(path: Path, declarations: str, hooks: str, value: str) -> str:
    """A file whose `setup` gives a field with its own name, computed from its declarations."""
    name = path.stem
    path.write_text(
        f"{HEAD}\n{declarations}\n{hooks}\n\n"
        f"def twice_{name}(*, factor=2):\n    return ({value}) * factor\n\n\n"
        f"def setup(machine):\n    return {{'{name}': twice_{name}()}}\n"
    )
    return str(path)


NEAR = """
@device
def simd_access(S, w, g, lanes, t):
    return t + S.pages + (lane_address(S, g, 0) & 1)
"""


def test_a_policy_a_scheduler_and_a_memory_system_of_the_users_have_declarations_each(tmp_path):
    policy = declaring(
        tmp_path / "rule.py",
        f"EXTENDS = {POLICIES['conv'].files!r}\nSETTINGS = {{'few': 3}}\nGRAIN = 'branch'",
        "",
        "SETTINGS['few']",
    )
    memory = declaring(
        tmp_path / "pages.py",
        "EXTENDS = ('memory/addresses', 'memory/perfect_fetch')\nSETTINGS = {'few': 50}",
        NEAR,
        "SETTINGS['few'] + len(EXTENDS)",
    )
    order = declaring(tmp_path / "order.py", "EXTENDS = ()", RANK, "len(EXTENDS)")
    found = machine.load("toy", {"memory": memory, "scheduler": order})
    program = simtlab.assemble(
        "kernel k(global u32* %x) {\n    ld_kernarg_u64 $d0, [%x]\n"
        "    ld_global_u32 $s0, [$d0]\n    ret\n}\n"
    )
    chosen = configured(found, find(policy))
    state = EngineState(compose(files_of(chosen, find(policy)), plain=True), chosen)
    assert (state.S.rule, state.S.pages, state.S.order) == (6, 104, 0)
    launch = simtlab.simulate(program.k, machine=found, policy=policy, items=8, plain=True)
    launch(np.zeros(1, np.uint32))
    assert launch.simulation is not None
    assert launch.simulation.cycles == 1 + 104 + 1


def test_engine_code_cannot_read_declarations(tmp_path):
    text = "\nSCHEDULER = 'rr'\n" + ranked("return len(SCHEDULER) + g")
    assert "uses 'SCHEDULER', which no file of this engine defines" in refused(tmp_path, text)


@pytest.mark.parametrize(("word", "meant"), [("bitcount", "popcount"), ("ffs", "ctz")])
def test_an_intrinsic_by_the_name_of_another_language(tmp_path, word, meant):
    hint = f"the intrinsic is called `{meant}` here"
    text = ranked(f"return {word}(g)")
    for imports in "", f"from simtlab.timing.engine.intrinsics import {word}\n":
        assert refused(tmp_path, imports + text, part="hint") == hint


# --- what must pass


def test_all_our_engine_files_and_examples_pass():
    seen: set[str] = set()
    presets = [machine.load(name) for name in machine.names()]
    runs = [
        (next(m for m in presets if refusal(m, policy) is None), policy)
        for policy in POLICIES.values()
    ]
    runs += [(m, find("conv")) for m in presets]
    kinds = {
        "memory": ("ideal", "adversary"),
        "scheduler": ("fifo", "gto", "lrr", "rr", "swf", "two-level"),
    }
    runs += [
        (machine.load("toy", {field: name}), find("conv"))
        for field, names in kinds.items()
        for name in names
    ]
    for m, policy in runs:
        files = files_of(configured(m, policy), policy)
        compose(files)
        seen |= set(files)
    folders = ("issue", "memory", "policy", "schedule")
    ours = {f"{f}/{path.stem}" for f in folders for path in (ENGINE / f).glob("[a-z]*.py")}
    assert ours - seen == set()
    for path in EXAMPLES.glob("*.py"):
        if "SETTINGS" in path.read_text():
            assert refusal(machine.load("dws"), find(str(path))) is None
        elif "def rank" in path.read_text():
            compose(files_of(machine.load("dws", {"scheduler": str(path)}), find("conv")))


def test_which_files_are_from_outside():
    assert own_files(["engine", "policy/conv", "/elsewhere/mine.py"]) == ["/elsewhere/mine.py"]
