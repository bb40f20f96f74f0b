"""Places of group memory that are a work-item's own between two barriers, by calculation."""

from __future__ import annotations

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.counting.own_places import are_own, ends_of_loads
from simtlab.isa.program import Kernel

STORE = "st_group_u32 $s0, [part+$s1]\n"
NEXT = "ld_group_u32 $s2, [part+$s1+4]\n"


def own(body: str, size: tuple[int, int, int] = (64, 1, 1)) -> bool:
    """Whether places are a work-item's own: $s0 is its number, $s1 is four times that."""
    kernel = kernel_of(body)
    return are_own(analyse(kernel).ssa, size, kernel.group_size)


def ends(body: str) -> set[int] | None:
    """Return the ends before which loads must be for places to be a work-item's own."""
    kernel = kernel_of(body)
    found = ends_of_loads(analyse(kernel).ssa, (64, 1, 1), kernel.group_size)
    return None if found is None else set(found.values())


def kernel_of(body: str) -> Kernel:
    """Return a kernel of some instructions."""
    (kernel,) = assemble(f"""
        kernel k(u32 %n) {{
            .group u32 part[64]
            .group u32 flag[64]
            .group u32 both[128]
            .private u32 own[2]
            workitemid_u32 $s0, 0
            workitemid_u32 $s3, 1
            shl_u32 $s1, $s0, 2
            {body}
            ret
        }}
    """).kernels
    return kernel


def test_others_may_load_after_a_barrier_only() -> None:
    assert own(STORE + "barrier\n" + NEXT)
    assert not own(STORE + NEXT)
    assert own(STORE + "ld_group_u32 $s2, [part+$s1]\n")


def test_a_loop_needs_a_barrier_on_both_sides_of_what_others_load() -> None:
    loop = """
        mov_u32 $s4, 0
    @loop:
        {before}
        ld_group_u32 $s2, [part+$s1+4]
        barrier
        st_group_u32 $s2, [part+$s1]
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c0, $s4, 9
        cbr $c0, @loop
    """
    assert own(loop.format(before="barrier"))
    assert not own(loop.format(before=""))


def test_an_access_on_another_path_counts_as_well() -> None:
    body = f"cmp_lt_u32 $c0, $s0, 9\n cbr $c0, @other\n {STORE} br @end\n@other:\n {NEXT} @end:\n"
    assert not own(body)


@pytest.mark.parametrize(("items", "expected"), [(64, True), (65, False)])
def test_two_arrays_are_apart_if_the_workgroup_is_no_larger(items: int, expected: bool) -> None:
    assert own(STORE + "st_group_u32 $s0, [flag+$s1]\n", (items, 1, 1)) is expected


def test_places_may_follow_from_two_dimensions() -> None:
    tile = "mad_u32 $s1, $s3, {}, $s0\n shl_u32 $s1, $s1, 2\n" + STORE
    assert own(tile.format(8), (8, 8, 1))
    assert not own(tile.format(7), (8, 8, 1))
    assert not own(STORE, (8, 8, 1))


def test_bytes_of_one_word_may_belong_to_several() -> None:
    assert own("st_group_u8 $s0, [part+$s0]\n")
    assert not own("st_group_u8 $s0, [part+$s0]\n st_group_u16 $s0, [part+$s1]\n")


def test_what_does_not_follow_from_numbers_is_not_known() -> None:
    assert not own("ld_kernarg_u32 $s5, [%n]\n st_group_u32 $s0, [part+$s5]\n")
    assert not own("ld_group_u32 $s5, [part+$s1]\n st_group_u32 $s0, [part+$s5]\n")
    assert not own("atomic_add_group_u32 [part+$s1], $s0\n" + STORE)


def test_atomics_whose_order_does_not_show_may_meet() -> None:
    add = "ld_kernarg_u32 $s5, [%n]\n atomic_add_group_u32 [part+$s5], $s0\n"
    assert own(f"{STORE} barrier\n {add} barrier\n {NEXT}")
    assert not own(f"{STORE} barrier\n {add} {NEXT}")
    assert not own(f"{STORE} {add} barrier\n {NEXT}")
    assert not own(add.replace("add_group_u32", "exch_group_u32"))
    assert not own(add.replace("u32 [", "u32 $s7, [") + "st_global_u32 $s7, [$d0]\n")
    least = "atomic_min_group_u32 [part], $s0\n"
    assert own(f"{least} atomic_max_group_u32 [part+4], $s0\n")
    assert not own(f"{least} atomic_max_group_u32 [part], $s0\n")
    assert not own(f"{least} {add}")


def test_several_may_store_one_constant_to_a_place() -> None:
    """All say that something has changed, and load that after a barrier."""
    one, changed = "mov_u32 $s4, 1\n", "st_group_u32 $s4, [flag]\n"
    zero = "mov_u32 $s5, 0\n"
    load = "ld_group_u32 $s6, [flag]\n"
    assert own(one + STORE + changed)
    assert own(one + changed + changed + "barrier\n" + load)
    assert own(one + "ld_kernarg_u32 $s7, [%n]\n st_group_u32 $s4, [part+$s7]\n")
    assert not own(one + changed + load)
    assert not own(one + zero + changed + "st_group_u32 $s5, [flag]\n")
    assert not own(one + changed + "st_group_u8 $s4, [flag]\n")
    assert not own(one + changed + "st_group_u32 $s0, [flag+$s1]\n")
    assert not own(one.replace("1", "$s0") + changed)
    rounds = f"""
        mov_u32 $s4, 1
        mov_u32 $s5, 0
    @round:
        st_group_u32 $s5, [flag]
        barrier
        cmp_lt_u32 $c0, $s0, 9
        cbr $c0, @kept
        {changed}
    @kept:
        barrier
        {load}
        {{after}}
        cmp_ne_u32 $c0, $s6, 0
        cbr $c0, @round
    """
    assert own(rounds.format(after="barrier"))
    assert not own(rounds.format(after=""))  # the next round begins before all have loaded


def test_a_place_with_bounds_is_apart_from_others() -> None:
    """Work-items count in one array, and load a number that is beside it."""
    some = "ld_kernarg_u32 $s5, [%n]\n and_u32 $s5, $s5, 63\n shl_u32 $s5, $s5, 2\n"
    add = some + "atomic_add_group_u32 [part+$s5], $s0\n"
    assert own(add + "ld_group_u32 $s6, [flag]\n")
    assert own(add + "st_group_u32 $s0, [flag+$s1]\n")
    assert not own(add + "ld_group_u32 $s6, [part+252]\n")
    assert not own(add + "ld_group_u32 $s6, [flag+$s5]\n st_group_u32 $s0, [flag+$s1]\n")
    assert not own(add.replace("63", "64") + "ld_group_u32 $s6, [flag]\n")
    load = some + "ld_group_u32 $s6, [part+$s5]\n"
    assert own(load + "st_group_u32 $s0, [flag+$s1]\n")
    assert not own(load + STORE)
    below = load.replace("shl_u32 $s5, $s5, 2", "sub_u32 $s5, $s5, 4")
    assert not own(below + "st_group_u32 $s0, [flag+$s1]\n")


def test_any_place_is_that_of_the_only_work_item_that_runs() -> None:
    only = """
        ld_kernarg_u32 $s5, [%n]
        cmp_ne_u32 $c0, $s0, {}
        cbr $c0, @end
        ld_group_u32 $s6, [part+$s5]
        st_group_u32 $s6, [flag+$s5]
    @end:
    """
    assert own(only.format(5))
    assert own("barrier\n" + only.format(0) + "barrier\n" + STORE)
    assert not own(only.format(0) + STORE)
    assert not own(only.format(1).replace("cmp_ne", "cmp_gt"))
    assert own(only.format(0), (1, 1, 1))
    assert own(only.format(64))  # none


ROUNDS = """
    mov_u32 $s4, 0
@round:
    {first}
    add_u32 $s5, $s0, $s4
    and_u32 $s5, $s5, 1
    cmp_ne_u32 $c0, $s5, 0
    cmp_ge_u32 $c1, $s0, 63
    or_b1 $c0, $c0, $c1
    cbr $c0, @kept
    ld_group_u32 $s6, [part+$s1]
    ld_group_u32 $s7, [part+$s1+4]
    cmp_le_u32 $c0, $s6, $s7
    cbr $c0, @kept
    st_group_u32 $s7, [part+$s1]
    st_group_u32 $s6, [part+$s1+4]
@kept:
    {last}
    add_u32 $s4, $s4, {step}
    cmp_lt_u32 $c0, $s4, 64
    cbr $c0, @round
"""


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [("barrier", "", True), ("", "barrier", True), ("", "", False), ("barrier", "barrier", False)],
)
def test_neighbours_change_places_in_turns(first: str, last: str, expected: bool) -> None:
    """One barrier an iteration says how often the loop has counted; two are not looked at."""
    assert own(ROUNDS.format(first=first, last=last, step=1)) is expected


def test_which_work_items_run_follows_from_the_counter() -> None:
    bad = ROUNDS.replace("and_u32 $s5, $s5, 1", "and_u32 $s5, $s5, 2")
    assert not own(bad.format(first="barrier", last="", step=1))


def test_a_counter_of_a_loop_that_is_entered_again_is_not_one_for_all() -> None:
    again = f"@again:\n {ROUNDS} add_u32 $s8, $s8, 1\n cmp_lt_u32 $c0, $s8, $s0\n cbr $c0, @again\n"
    assert not own(again.format(first="barrier", last="", step=1))


PIVOTS = """
    mov_u32 $s4, 0
@rows:
    shl_u32 $s5, $s4, 2
    cmp_ne_u32 $c0, $s0, $s4
    cbr $c0, @shared
    st_group_u32 $s6, [both+$s5]
@shared:
    barrier
    ld_group_u32 $s7, [both+$s5]
    {after}
    add_u32 $s6, $s6, $s7
    add_u32 $s4, $s4, 1
    cmp_lt_u32 $c0, $s4, {rows}
    cbr $c0, @rows
"""
"""In each iteration another work-item stores its row for all, as in an elimination."""


@pytest.mark.parametrize(
    ("rows", "items", "after", "expected"),
    [
        (64, 64, "", True),
        (128, 128, "", True),
        # The place of the next iteration: its owner may store to it meanwhile.
        (100, 128, "ld_group_u32 $s8, [both+$s5+4]", False),
        (100, 1024, "", False),  # more bytes than are looked at
    ],
)
def test_each_iteration_may_have_its_own_places(
    rows: int, items: int, after: str, *, expected: bool
) -> None:
    assert own(PIVOTS.format(rows=rows, after=after), (items, 1, 1)) is expected


def test_an_access_of_the_last_iteration_must_be_before_the_barrier() -> None:
    late = ROUNDS.replace(
        "add_u32 $s4, $s4",
        "add_u32 $s8, $s1, $s4\n st_group_u32 $s0, [part+$s8]\n add_u32 $s4, $s4",
    )
    assert not own(late.format(first="", last="barrier", step=1))


SCAN = """
    mov_u32 $s5, $s1
    mov_u32 $s6, 1
@scan:
    st_group_u32 $s7, [both+$s5]
    barrier
    cmp_lt_u32 $c0, $s0, $s6
    cbr $c0, @added
    shl_u32 $s8, $s6, 2
    sub_u32 $s8, $s5, $s8
    ld_group_u32 $s8, [both+$s8]
    add_u32 $s7, $s7, $s8
@added:
    xor_u32 $s5, $s5, {side}
    {after}
    shl_u32 $s6, $s6, 1
    cmp_lt_u32 $c0, $s6, 64
    cbr $c0, @scan
"""


def test_what_a_work_item_takes_along_from_round_to_round_is_followed() -> None:
    """Between barriers all load one array, and store the other one for the next round."""
    assert own(SCAN.format(side=256, after=""))
    assert not own(SCAN.format(side=0, after=""))
    assert not own(SCAN.format(side=256, after="ld_private_u32 $s9, [4]\n add_u32 $s5, $s5, $s9"))


def test_a_place_with_bounds_may_be_in_a_loop_by_rounds() -> None:
    one_of_both = """
        and_u32 $s9, $s4, 7
        cmp_ne_u32 $c1, $s0, $s9
        cbr $c1, @end
        ld_group_u32 $s8, [flag]
        and_u32 $s8, $s8, 127
        shl_u32 $s8, $s8, 2
        st_group_u32 $s0, [both+$s8]
    @end:
    """
    assert own(ROUNDS.format(first="barrier\n" + one_of_both, last="", step=1))
    several = one_of_both.replace("cmp_ne", "cmp_lt")
    assert not own(ROUNDS.format(first="barrier\n" + several, last="", step=1))
    wider = one_of_both.replace("127", "255")
    assert own(ROUNDS.format(first="barrier\n" + wider, last="", step=1))  # beyond them it traps
    wider = wider.replace("both", "part")
    assert not own(ROUNDS.format(first="barrier\n" + wider, last="", step=1))


FILLED = """
    mov_u32 $s4, {begin}
@fill:
    cmp_ge_u32 $c0, $s4, {end}
    cbr $c0, @filled
    mul_u32 $s5, $s4, {size}
    add_u32 $s5, $s5, {at}
    st_group_u32 $s0, [part+$s5]
    add_u32 $s4, $s4, {step}
    br @fill
@filled:
    {after}
"""
"""`part` of 64 words, `flag` of 64 and `both` of 128 follow each other."""
ANY = "$s0\n ld_kernarg_u32 $s9, [%n]"


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, True),
        ({"step": 128}, True),
        ({"step": 32}, False),
        ({"step": 96}, False),  # as those of 32: numbers begin again at 2^32
        ({"step": "$s0"}, False),
        ({"size": 8, "end": 128}, True),
        ({"size": 2}, False),
        ({"begin": "$s1"}, False),  # each fourth word, and 64 words further
        ({"begin": "$s1", "step": 256}, True),
        ({"begin": 0}, False),
        ({"at": 512}, True),
        ({"after": "ld_group_u32 $s6, [both+$s1]"}, True),
        ({"after": "ld_group_u32 $s6, [both+$s1+4]"}, False),
        ({"after": "ld_group_u32 $s6, [both+508]"}, False),
        ({"end": 128, "after": "ld_group_u32 $s6, [both]"}, True),
        ({"end": 129, "after": "ld_group_u32 $s6, [both]"}, False),
        ({"end": 128, "at": 4, "after": "ld_group_u32 $s6, [both]"}, False),
        ({"begin": ANY, "end": "$s9", "after": "ld_group_u32 $s6, [both]"}, False),
        ({"end": 128, "at": 4, "after": "ld_group_u32 $s6, [both+4]"}, True),
    ],
)
def test_work_items_fill_a_table_in_turns(changed: dict[str, object], *, expected: bool) -> None:
    usual = {"begin": "$s0", "end": 256, "step": 64, "size": 4, "at": 0, "after": ""}
    assert own(FILLED.format(**(usual | changed))) is expected


def test_a_row_or_a_column_of_each_work_item() -> None:
    some = "ld_kernarg_u32 $s5, [%n]\n and_u32 $s5, $s5, {mask}\n"
    place = some + "mad_u32 $s6, $s5, {size}, {at}\n st_group_u32 $s0, [part+$s6]\n"
    assert own(place.format(mask=3, size=256, at="$s1"))
    assert not own(place.format(mask=3, size=128, at="$s1"))
    row = "shl_u32 $s7, $s0, 4\n" + place
    assert not own(row.format(mask=3, size=4, at="$s7"))  # only columns are looked for


AGAIN = """
    mov_u32 $s9, 0
@again:
    {before}
    st_group_u32 $s0, [part+$s1]
    mov_u32 $s4, 32
@halve:
    barrier
    cmp_ge_u32 $c0, $s0, $s4
    cbr $c0, @halved
    mad_u32 $s5, $s4, 4, $s1
    ld_group_u32 $s6, [part+$s1]
    ld_group_u32 $s7, [part+$s5]
    add_u32 $s6, $s6, $s7
    st_group_u32 $s6, [part+$s1]
@halved:
    shr_u32 $s4, $s4, 1
    cmp_ne_u32 $c0, $s4, 0
    cbr $c0, @halve
    {after}
    cmp_ne_u32 $c0, $s8, 0
    cbr $c0, @again
"""
"""A tree in a loop: $s4 is 32, 16, ... in its iterations."""


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("barrier", "barrier\n ld_group_u32 $s8, [part]\n", True),
        ("", "barrier\n ld_group_u32 $s8, [part]\n barrier", True),
        ("", "barrier\n ld_group_u32 $s8, [part]\n", False),
        ("", "ld_group_u32 $s8, [part]\n", False),
        # Work-items may be in different iterations of the tree: nothing parts its runs.
        ("cmp_eq_u32 $c1, $s0, 99", "cmp_eq_u32 $c1, $s0, 98", False),
        ("barrier", "mul_u32 $s5, $s4, 4\n st_group_u32 $s0, [flag+$s5]\n", False),
        ("barrier", "barrier\n st_group_u32 $s0, [flag+$s1]\n", True),
    ],
)
def test_rounds_that_are_repeated(before: str, after: str, *, expected: bool) -> None:
    assert own(AGAIN.format(before=before, after=after)) is expected


TREES = """
    mov_u32 $s6, 0
@again:
    barrier
    st_group_u32 $s0, [part+$s1]
    barrier
    mov_u32 $s4, 32
@tree:
    cmp_eq_u32 $c0, $s4, 0
    cbr $c0, @found
    cmp_ge_u32 $c0, $s0, $s4
    cbr $c0, @next
    mad_u32 $s8, $s4, 4, $s1
    ld_group_u32 $s9, [part+$s8]
    st_group_u32 $s9, [part+$s1]
@next:
    barrier
    {early}
    shr_u32 $s4, $s4, 1
    br @tree
@found:
    {after}
    add_u32 $s6, $s6, 1
    cmp_lt_u32 $c0, $s6, 9
    cbr $c0, @again
"""


def test_all_may_look_at_what_a_tree_has_found_as_soon_as_it_is_left() -> None:
    """The tree is entered again after a barrier only, so nothing is stored when it is left."""
    first = "ld_group_u32 $s9, [part]"
    assert own(TREES.format(early="", after=first))
    assert own(TREES.format(early="", after=first + "\nbarrier\n" + first))
    assert not own(TREES.format(early=first, after=""))
    assert not own(TREES.format(early="cmp_eq_u32 $c0, $s9, 5\n cbr $c0, @found", after=first))
    late = TREES.format(early="", after="").replace("    barrier\n    st_group", "    st_group", 1)
    assert not own(late.replace("@found:", f"@found:\n barrier\n {first}"))


def test_ends_of_loads_are_what_is_stored_next() -> None:
    table = "ld_group_u32 $s5, [part+{by}]\n shl_u32 $s5, $s5, 2\n"
    body = STORE + "barrier\n" + table.format(by="$s1")
    store = "st_group_u32 $s0, [flag+$s1]\n"
    look = "ld_group_u32 $s6, [{at}+$s5]\n"
    assert ends(body + look.format(at="part") + store) == {256}
    assert ends(body + look.format(at="part") + look.format(at="both") + store) == {256}
    assert ends(body + look.format(at="flag") + store) is None
    assert ends(body + look.format(at="part") + "barrier\n" + store) == set()
    bounded = body + "and_u32 $s5, $s5, 0xfc\n"
    assert ends(bounded + look.format(at="part") + store) == set()
    assert ends(body + "st_group_u32 $s0, [part+$s5]\n") is None


def test_a_table_may_be_first_where_others_store_by_rounds() -> None:
    """An access that does not run in an iteration stores nothing there, at no place."""
    body = """
        st_group_u32 $s0, [part+$s1]
        barrier
        mov_u32 $s4, 0
    @round:
        ld_group_u32 $s5, [part+$s1]
        shl_u32 $s5, $s5, 2
        ld_group_u32 $s6, [part+$s5]
        and_u32 $s7, $s4, 1
        mad_u32 $s7, $s7, 256, $s1
        st_group_u32 $s6, [both+$s7]
        barrier
        xor_u32 $s7, $s7, 4
        ld_group_u32 $s6, [both+$s7]
        add_u32 $s4, $s4, 1
        cmp_lt_u32 $c0, $s4, 4
        cbr $c0, @round
    """
    assert ends(body) == {512}
    assert ends(body.replace("[part+$s5]", "[both+$s5]")) is None
