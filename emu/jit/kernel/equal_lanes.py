"""The lane that runs a node where its number equals a scalar (analysis/lanes/equal_lane.py)."""

from __future__ import annotations

from ...analysis.lanes.equal_lane import EqualLane
from .lane_code import LaneCode


def name_of(number: int) -> str:
    """Return the name of the variable with the lane that runs a node, a word."""
    return f"lane of n{number}"


def lane_of(lanes: LaneCode, found: EqualLane) -> str:
    """Return the number of the lane, an i64, which no lane has if it is not below the width."""
    code, scalar, first = lanes.code, lanes.scalar(found.scalar), lanes.lane0(found.number)
    lane = code.let(f"sub i{found.bits} {scalar}, {first}")
    return lane if found.bits == 64 else code.let(f"zext i{found.bits} {lane} to i64")


def is_among(lanes: LaneCode, lane: str, word: str) -> str:
    """Return whether a lane, an i64, is one of a warp's in a word, an i1."""
    code, type_ = lanes.code, lanes.word_type
    inside = code.let(f"icmp ult i64 {lane}, {lanes.width}")
    place = lane if type_ == "i64" else code.let(f"zext i64 {lane} to {type_}")
    bit = code.let(f"trunc {type_} {code.let(f'lshr {type_} {word}, {place}')} to i1")
    # Beyond the word a shift gives poison, which an `and` would keep.
    return code.let(f"select i1 {inside}, i1 {bit}, i1 false")
