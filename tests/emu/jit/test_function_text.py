"""The text of a function as it grows: labels, branches and the block that is being written."""

from __future__ import annotations

from simtlab.emu.jit.llvm.function_text import EntryText, FunctionText, definition
from simtlab.emu.jit.llvm.text import ModuleText

COUNTDOWN = """\
define i64 @countdown(i64 %n) #0 {
entry:
  %t3 = alloca i64
  br label %head1
head1:
  %left = phi i64 [ %n, %entry ], [ %t2, %head1 ]
  %t2 = sub i64 %left, 1
  %t4 = icmp eq i64 %t2, 0
  br i1 %t4, label %done, label %head1, !prof !0
done:
  call void @note(i64 %t2)
  switch i64 %t2, label %one [ i64 0, label %zero i64 7, label %one ]
zero:
  ret i64 0
one:
  ret i64 %t2
}
"""


def test_blocks_branches_and_phis() -> None:
    module = ModuleText()
    entry = FunctionText(module)
    code = entry.elsewhere()
    assert code.current_block == "entry"
    head = code.fresh_label("head")
    code.jump(head)
    code.block(head)
    assert code.current_block == head == "head1"
    left = code.phi("i64", ("%n", "entry"), ("%t2", head), name="%left")
    less = code.let(f"sub i64 {left}, 1")
    entry.let("alloca i64")
    code.branch(code.let(f"icmp eq i64 {less}, 0"), "done", head, rarely=True)
    code.block("done")
    code.call_void("note", f"i64 {less}")
    code.switch(less, "one", {0: "zero", 7: "one"})
    code.block("zero")
    code.ret("i64", 0)
    code.block("one")
    code.ret("i64", less)
    assert definition("define i64 @countdown(i64 %n)", entry, code) == COUNTDOWN
    assert "declare void @note(i64)" in str(module)


def test_a_first_block_computes_the_same_once() -> None:
    entry = EntryText(ModuleText())

    def slot(number: int) -> str:
        place = entry.let(f"getelementptr i64, ptr %ctx, i64 {number}")
        return entry.let(f"load i64, ptr {place}")

    def argument() -> str:
        host = entry.let(f"inttoptr i64 {slot(0)} to ptr")
        return entry.let(f"load i32, ptr {entry.let(f'getelementptr i8, ptr {host}, i64 8')}")

    assert slot(7) == slot(7) != slot(8)
    assert argument() == argument()
    assert entry.let("add i64 %a, 1") == entry.let("add i64 %a, 1") != entry.let("add i64 %a, 2")
    assert entry.let("sub i64 %a, 1", name="%b") == "%b"
    assert entry.let("sub i64 %a, 1", name="%c") == "%c"


def test_a_first_block_repeats_what_may_have_changed() -> None:
    entry = EntryText(ModuleText())
    variable = entry.let("alloca i64")
    assert entry.let("alloca i64") != variable
    assert entry.let(f"load i64, ptr {variable}") != entry.let(f"load i64, ptr {variable}")
    cell = entry.let(f"getelementptr i64, ptr {variable}, i64 1")
    assert entry.let(f"load i64, ptr {cell}") != entry.let(f"load i64, ptr {cell}")
    assert entry.hidden(64, rarely=True) != entry.hidden(64, rarely=True)
    assert entry.call("i32", "simtlab_find", "ptr %ctx") != entry.call(
        "i32", "simtlab_find", "ptr %ctx"
    )
    host = entry.let(f"load ptr, ptr {entry.let('getelementptr i64, ptr %ctx, i64 3')}")
    places = (
        f"getelementptr i8, <2 x ptr> {entry.let(f'getelementptr i8, ptr {host}, <2 x i64> %i')}"
    )
    assert entry.let(f"{places}, i64 4") != entry.let(f"{places}, i64 4")
    before = entry.let("add i64 %a, 1")
    entry.block("next")
    assert entry.let("add i64 %a, 1") != before
