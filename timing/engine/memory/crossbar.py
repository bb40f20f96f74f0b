"""The crossbar between first levels and L2 banks: an input and an output port at each end.

Engine code; docs/timing/memory.md, rule 4. Ports count time in ticks, which are whole numbers. A
tick is a cycle of the crossbar if it has a clock of its own. Otherwise it is 1/256 of a WPU cycle,
so that a bandwidth such as 57 bytes a cycle needs no fractions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..intrinsics import device, inverse_of, quotient, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, memory_date

TICKS = 256
"""Ticks of a WPU cycle without a clock of the crossbar."""

port = table("port", record(free="i8"))
"""Ports out of WPUs, into WPUs, into banks, out of banks, in this order; in ticks."""


@device
def first_tick(S: State, t: int) -> int:
    """Return the first tick that begins at cycle t or later."""
    return quotient(t * S.port_ticks + S.port_cycles - 1, S.port_cycles_inverse)


@device
def arrival_of(S: State, end: int) -> int:
    """Return the cycle by which a transfer that leaves its ports at tick `end` has arrived."""
    ticks = end * S.port_cycles + S.port_ticks - 1
    return quotient(ticks, S.port_ticks_inverse) + S.crossbar_latency


@device
def bank_date(S: State) -> int:
    """Return the cycle at which the request of S.request_date would reach its bank undelayed."""
    if S.bank_dated != S.request_date:
        S.bank_dated = S.request_date
        S.bank_arrival = arrival_of(S, first_tick(S, S.request_date) + S.crossbar_message)
    return S.bank_arrival


@device
def send_up(S: State, w: int, b: int, cost: int, t: int) -> int:
    """Send from WPU w to bank b at t for `cost` ticks; return when the last byte arrives."""
    return transfer(S, w, 2 * S.wpus + b, cost, t, S.request_date)


@device
def send_down(S: State, b: int, w: int, cost: int, t: int) -> int:
    """Send from bank b to WPU w at t for `cost` ticks; return when the last byte arrives."""
    return transfer(S, 2 * S.wpus + S.crossbar_banks + b, S.wpus + w, cost, t, memory_date(S))


@device
def transfer(S: State, source: int, target: int, cost: int, t: int, date: int) -> int:
    """Occupy two ports for `cost` ticks from t on, by a claim with a date (rule 4).

    Return the cycle at which the last byte has crossed.
    """
    out_port = port(S, source)
    in_port = port(S, target)
    tick = first_tick(S, t)
    date_tick = tick if date == t else first_tick(S, date)
    end = max(tick, out_port.free, in_port.free) + cost
    out_port.free = max(date_tick, out_port.free) + cost
    in_port.free = max(date_tick, in_port.free) + cost
    return arrival_of(S, end)


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
    return send_up(S, w, b, S.crossbar_message, t)


@device
def message_down(S: State, b: int, w: int, t: int) -> int:
    """Send a message without data from bank b to WPU w at t; return its arrival."""
    S.n_crossbar_message += 1
    return send_down(S, b, w, S.crossbar_message, t)


def setup(machine: Machine) -> dict[str, Any]:
    """Return the length of a tick, costs in ticks, rounded up, and counters."""
    size, cycles = machine.crossbar.fraction
    tick = machine.crossbar_cycle or Fraction(1, TICKS)
    banks = machine.l2_banks

    def ticks(line: int) -> int:
        return -(-line * cycles * tick.denominator // (size * tick.numerator))

    return {
        "port": 2 * machine.wpus + 2 * banks,
        "port_ticks": tick.denominator,  # as long as `port_cycles` WPU cycles
        "port_cycles": tick.numerator,
        "port_ticks_inverse": inverse_of(tick.denominator),
        "port_cycles_inverse": inverse_of(tick.numerator),
        "crossbar_banks": banks,
        "crossbar_latency": machine.crossbar.latency,
        "crossbar_message": 1 if machine.crossbar_cycle else TICKS,
        "crossbar_line": ticks(machine.l1d.line),
        "crossbar_code": ticks(machine.l1i.line),
        "bank_dated": -1,
        "bank_arrival": 0,
        "l1d_line": machine.l1d.line,
        "l1i_line": machine.l1i.line,
        "n_crossbar_message": 0,
        "n_crossbar_data": 0,
        "n_crossbar_bytes": 0,
    }
