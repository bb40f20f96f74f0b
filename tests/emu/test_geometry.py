"""The shape of a launch: which sizes are taken, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab import ArgumentError, assemble
from simtlab.emu.engine import engine_names
from simtlab.emu.geometry import Geometry, dim3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, (5, 1, 1)),
        ((5,), (5, 1, 1)),
        ([2, 3], (2, 3, 1)),
        ((2, 3, 4), (2, 3, 4)),
        (np.int64(7), (7, 1, 1)),
        (np.array(7), (7, 1, 1)),
        ((np.uint8(2), 3), (2, 3, 1)),
    ],
)
def test_sizes_are_one_to_three_whole_numbers(value: Any, expected: tuple[int, ...]) -> None:
    assert dim3(value, "items") == expected
    assert all(type(size) is int for size in dim3(value, "items"))


@pytest.mark.parametrize(
    "value",
    [0, -1, (), (1, 2, 3, 4), (1, 0), 1.5, 2.0, float("inf"), float("nan"), "12", True, None,
     (2, None), np.zeros(2, int), {1, 2}],
)  # fmt: skip
def test_everything_else_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        dim3(value, "group_size")
    assert str(caught.value) == (
        "error[SIM301]: group_size must be one to three positive whole numbers, "
        f"not {value!r}"
    )  # fmt: skip


@pytest.mark.parametrize("width", [0, 65, -1, 1.0, True, "8", None])
def test_a_warp_has_one_to_64_lanes(width: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        Geometry.of(items=1, width=width)
    assert str(caught.value) == (
        f"error[SIM302]: the warp width must be from 1 to 64, not {width!r}"
    )


def test_numpys_numbers_are_widths_too() -> None:
    assert Geometry.of(items=1, width=np.int32(8)).width == 8  # pyright: ignore[reportArgumentType]
    assert type(Geometry.of(items=1, width=np.int32(8)).width) is int  # pyright: ignore[reportArgumentType]


def test_a_grid_has_fewer_than_2_to_the_32_work_items() -> None:
    assert Geometry.of(items=(1 << 31, 1)).n_items == 1 << 31
    with pytest.raises(ArgumentError) as caught:
        Geometry.of(1 << 24, 256)
    assert str(caught.value) == (
        "error[SIM303]: a grid of 4294967296 work-items is too large; 2^32 - 1 is the most"
    )


@pytest.mark.parametrize("what", ["items", "groups", "group_size"])
@pytest.mark.parametrize("size", [1 << 32, (1 << 32) + 5, 1 << 63, 1 << 64, (2, 1 << 40)])
def test_a_size_has_32_bits(what: str, size: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        Geometry.of(**{"items": 10, what: size} if what != "groups" else {what: size})
    number = size[1] if isinstance(size, tuple) else size
    assert str(caught.value) == (
        f"error[SIM303]: {what} is too large: {number}; 2^32 - 1 is the most in each dimension"
    )


def test_messages_about_endless_values_are_short() -> None:
    many = 10**5000
    values: list[dict[str, Any]] = [
        {"items": many}, {"items": -many}, {"items": [1] * 10**6}, {"items": 1, "width": many}
    ]  # fmt: skip
    for sizes in values:
        with pytest.raises(ArgumentError) as caught:
            Geometry.of(**sizes)
        assert len(str(caught.value)) < 200


LARGEST = (1 << 32) - 1

WHO = """
    kernel who(global u32* %out) {
        workitemflatabsid_u32 $s0
        workgroupsize_u32 $s1, 0
        currentworkgroupsize_u32 $s2, 1
        mad_u32 $s1, $s1, 31, $s2
        workitemid_u32 $s2, 2
        mad_u32 $s1, $s1, 31, $s2
        workitemabsid_u32 $s2, 0
        mad_u32 $s1, $s1, 31, $s2
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d0, $d0, 4, $d1
        st_global_u32 $s1, [$d0]
        ret
    }"""


@pytest.mark.parametrize(
    ("items", "group_size"),
    [
        (10, LARGEST),
        ((2, 3, 2), (LARGEST, LARGEST, LARGEST)),
        ((2, 3, 2), (1, LARGEST, 1 << 31)),
        ((5, 2), (1 << 16, 1 << 16)),
        ((5, 2, 3), (2, 1 << 31, 2)),
    ],
)
def test_every_engine_takes_workgroups_larger_than_any_grid(items: Any, group_size: Any) -> None:
    results = []
    for engine in engine_names():
        out = np.zeros(40, np.uint32)
        launch = assemble(WHO)["who"].launch(items=items, group_size=group_size, engine=engine)
        launch(out)
        results.append(out.tolist())
    assert results[0] == results[1] == results[2]
    assert len(set(results[0])) > 1


@pytest.mark.parametrize("sizes", [{}, {"groups": 1, "items": 2}])
def test_a_launch_counts_workgroups_or_work_items(sizes: dict[str, int]) -> None:
    with pytest.raises(ArgumentError) as caught:
        Geometry.of(**sizes)
    assert str(caught.value) == (
        "error[SIM304]: a launch takes either groups= (workgroups) or items= "
        "(work-items in total)"
    )  # fmt: skip


def test_workgroups_are_whole_where_they_are_counted() -> None:
    g = Geometry.of((2, 3), (4, 5), width=8)
    assert (g.items, g.groups, g.n_groups, g.n_items) == ((8, 15, 1), (2, 3, 1), 6, 120)
    assert {g.current_size(n) for n in range(6)} == {(4, 5, 1)}


def test_the_last_workgroup_of_a_dimension_may_be_smaller() -> None:
    g = Geometry.of(items=(7, 5), group_size=(3, 2), width=4)
    assert g.groups == (3, 3, 1)
    assert [g.current_size(n) for n in (0, 2, 6, 8)] == [(3, 2, 1), (1, 2, 1), (3, 1, 1), (1, 1, 1)]
    assert g.largest_group == 6
    assert Geometry.of(items=10, group_size=256).largest_group == 10


sizes = st.integers(1, 7)
dims = st.tuples(sizes, sizes, sizes)


@given(dims, dims)
def test_every_work_item_of_the_grid_is_in_one_workgroup(
    items: tuple[int, int, int], group: tuple[int, int, int]
) -> None:
    g = Geometry.of(items=items, group_size=group)
    seen = []
    for number in range(g.n_groups):
        x, y, z = g.current_size(number)
        seen += [g.absolute_id(number, local) for local in range(x * y * z)]
    assert len(set(seen)) == len(seen) == g.n_items
    assert all(p < n for place in seen for p, n in zip(place, g.items, strict=True))


class Sizes(list[int]):
    """A list that counts the elements that are looked at."""

    seen = 0

    def __iter__(self) -> Iterator[int]:
        for size in super().__iter__():
            self.seen += 1
            yield size


def test_a_long_list_of_sizes_is_refused_by_its_first_elements() -> None:
    sizes = Sizes([1] * 1000)
    with pytest.raises(ArgumentError, match="one to three positive whole numbers"):
        dim3(sizes, "items")
    assert sizes.seen == 4
