"""The crossbar between first levels and L2 banks: an input and an output port at each end.

Engine code; docs/timing/memory.md, rule 4. Ports count time in 1/256 cycles, so that a bandwidth
such as 57 bytes a cycle needs no fractions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State

TICKS = 8  # log2 of the parts of a cycle
MESSAGE = 1 << TICKS
"""The cost of a request, an invalidation or an acknowledgement: a cycle of both ports."""

port = table("port", record(free="i8"))
"""Ports out of WPUs, into WPUs, into banks, out of banks, in this order."""


@device
def send_up(S: State, w: int, b: int, cost: int, t: int) -> int:
    """Send from WPU w to bank b at t at `cost` 1/256 cycles; return when the last byte arrives."""
    return transfer(S, w, 2 * S.wpus + b, cost, t, S.request_date)


@device
def send_down(S: State, b: int, w: int, cost: int, t: int) -> int:
    """Send from bank b to WPU w at t at `cost` 1/256 cycles; return when the last byte arrives."""
    return transfer(
        S, 2 * S.wpus + S.crossbar_banks + b, S.wpus + w, cost, t, S.request_date + S.to_memory
    )


@device
def transfer(S: State, source: int, target: int, cost: int, t: int, date: int) -> int:
    """Occupy two ports for `cost` 1/256 cycles from t on, by a claim with a date (rule 4).

    Return the cycle at which the last byte has crossed.
    """
    out_port = port(S, source)
    in_port = port(S, target)
    end = max(t << TICKS, out_port.free, in_port.free) + cost
    out_port.free = max(date << TICKS, out_port.free) + cost
    in_port.free = max(date << TICKS, in_port.free) + cost
    return ((end + MESSAGE - 1) >> TICKS) + S.crossbar_latency


@device
def line_up(S: State, w: int, b: int, t: int) -> int:
    """Send an L1D line from WPU w to bank b at t; return its arrival."""
    S.n_crossbar_data += 1
    S.n_crossbar_bytes += S.l1d_line
    return send_up(S, w, b, S.crossbar_line, t)


@device
def line_down(S: State, b: int, w: int, t: int) -> int:
    """Send an L1D line from bank b to WPU w at t; return its arrival."""
    S.n_crossbar_data += 1
    S.n_crossbar_bytes += S.l1d_line
    return send_down(S, b, w, S.crossbar_line, t)


@device
def code_down(S: State, b: int, w: int, t: int) -> int:
    """Send an L1I line from bank b to WPU w at t; return its arrival."""
    S.n_crossbar_data += 1
    S.n_crossbar_bytes += S.l1i_line
    return send_down(S, b, w, S.crossbar_code, t)


@device
def message_up(S: State, w: int, b: int, t: int) -> int:
    """Send a message without data from WPU w to bank b at t; return its arrival."""
    S.n_crossbar_message += 1
    return send_up(S, w, b, MESSAGE, t)


@device
def message_down(S: State, b: int, w: int, t: int) -> int:
    """Send a message without data from bank b to WPU w at t; return its arrival."""
    S.n_crossbar_message += 1
    return send_down(S, b, w, MESSAGE, t)


def setup(machine: Machine) -> dict[str, Any]:
    """Return costs in 1/256 cycles, rounded up, and counters."""
    size, cycles = machine.crossbar.fraction
    banks = machine.l2_banks
    return {
        "port": 2 * machine.wpus + 2 * banks,
        "crossbar_banks": banks,
        "crossbar_latency": machine.crossbar.latency,
        "to_bank": 1 + machine.crossbar.latency,  # a message
        "crossbar_line": -(-(machine.l1d.line * cycles << TICKS) // size),
        "crossbar_code": -(-(machine.l1i.line * cycles << TICKS) // size),
        "l1d_line": machine.l1d.line,
        "l1i_line": machine.l1i.line,
        "n_crossbar_message": 0,
        "n_crossbar_data": 0,
        "n_crossbar_bytes": 0,
    }
