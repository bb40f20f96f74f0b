"""`simtlab diff`: the differences between two simulations, by cause and line."""

from __future__ import annotations

import json as json_module
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ...emu.text.tables import aligned
from ...isa.errors import UsageError
from .. import status
from ..options.options import Json, whole_number


def diff(
    first: Annotated[
        str, typer.Argument(metavar="A.json", help="A result that `simtlab time --json` printed.")
    ],
    second: Annotated[str, typer.Argument(metavar="B.json", help="The result to compare with it.")],
    top: Annotated[
        str, typer.Option(metavar="N", help="Number of lines and causes to list.")
    ] = "10",
    json: Json = False,
) -> int:
    """Compare two results of `simtlab time --json`: which cause moved at which line.

    Changes and speedup are those of B relative to A.

    For example:

      simtlab time merge --json > a.json
      simtlab time merge --set l1d.size=64KiB --json > b.json
      simtlab diff a.json b.json
    """
    from ..output.output import print_json, print_rows

    a, b = _read(first), _read(second)
    found = compare(a, b)
    limit = whole_number(top, "--top")
    if json:
        print_json(found)
        return status.DONE
    print_rows(_rows(found))
    for title, key in (("issue slots", "issue_slots"), ("warp-cycles", "warp_cycles")):
        _print_causes(title, found[key])
    _print_lines(found["lines"][:limit], len(found["lines"]))
    return status.DONE


def _read(path: str) -> dict[str, Any]:
    """Return the result of a simulation from its JSON file. Raises UsageError."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json_module.load(file)
    except OSError as problem:
        from ..inputs.files import cannot

        raise cannot("read", path, problem) from None
    except ValueError as problem:
        raise UsageError(f"{path} is not JSON: {problem}", code="SIM510") from None
    statistics = found.get("statistics") if isinstance(found, dict) else None
    if not isinstance(statistics, dict) or "lines" not in statistics or "cycles" not in statistics:
        raise UsageError(
            f"{path} is not the result of a simulation",
            code="SIM510",
            hint="simtlab time PROGRAM --json > result.json",
        )
    return found


def compare(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Return the differences of two results, the largest changes first."""
    x, y = a["statistics"], b["statistics"]
    names = ("kernel", "machine", "policy", "settings", "memory_digest")
    numbers = ("cycles", "warp_instructions", "thread_instructions", "mean_width", "memory_wait")
    return {
        "same": {n: a.get(n) for n in names if a.get(n) == b.get(n)},
        "differs": {n: [a.get(n), b.get(n)] for n in names if a.get(n) != b.get(n)},
        "speedup": x["cycles"] / y["cycles"] if y["cycles"] else 0.0,
        "numbers": {n: [x[n], y[n]] for n in numbers},
        "issue_slots": _moved(x["issue_slots"], y["issue_slots"]),
        "warp_cycles": _moved(x["warp_cycles"], y["warp_cycles"]),
        "lines": _lines(x["lines"], y["lines"]),
    }


def _moved(a: Mapping[str, int], b: Mapping[str, int]) -> list[dict[str, Any]]:
    rows = [
        {"cause": n, "a": a.get(n, 0), "b": b.get(n, 0), "change": b.get(n, 0) - a.get(n, 0)}
        for n in dict.fromkeys((*a, *b))
    ]
    return sorted((r for r in rows if r["change"]), key=lambda r: -abs(r["change"]))


def _lines(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each line and cause whose cycles changed."""

    def index(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
        return {(x["kernel"], x["file"], x["line"], x["text"]): x for x in lines}

    before, after = index(a), index(b)
    rows: list[dict[str, Any]] = []
    for key in dict.fromkeys((*before, *after)):
        old = before.get(key, {}).get("cycles", {})
        new = after.get(key, {}).get("cycles", {})
        place = dict(zip(("kernel", "file", "line", "text"), key, strict=True))
        rows += [{**place, **moved} for moved in _moved(old, new)]
    return sorted(rows, key=lambda r: -abs(r["change"]))


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    differs = found["differs"]
    rows = [(name, f"{a} -> {b}") for name, (a, b) in differs.items() if name != "memory_digest"]
    rows += [(name, str(value)) for name, value in found["same"].items() if name == "kernel"]
    (a, b), ratio = found["numbers"]["cycles"], found["speedup"]
    rows.append(("cycles", f"{a:,} -> {b:,}, speedup {ratio:.3f}"))
    for name in ("warp_instructions", "thread_instructions"):
        a, b = found["numbers"][name]
        rows.append((name.replace("_", "-"), f"{a:,} -> {b:,}" if a != b else f"{a:,} both"))
    a, b = found["numbers"]["mean_width"]
    rows.append(("mean SIMD width", f"{a:.2f} -> {b:.2f}"))
    a, b = found["numbers"]["memory_wait"]
    rows.append(("waiting for memory", f"{a:.1%} -> {b:.1%} of issue slots"))
    if "memory_digest" in differs:
        rows.append(("memory", "the final memory DIFFERS: other inputs or a race"))
    return rows


def _print_causes(title: str, moved: list[dict[str, Any]]) -> None:
    rows = [(title, "A", "B", "change")]
    rows += [(r["cause"], f"{r['a']:,}", f"{r['b']:,}", f"{r['change']:+,}") for r in moved]
    print("\n" + aligned(rows, least=(12, 15, 15, 15)))
    if not moved:
        print("no change")


def _print_lines(shown: list[dict[str, Any]], total: int) -> None:
    if not shown:
        return
    rows = [("line", "cause", "A", "B", "change", "source")]
    for r in shown:
        numbers = (f"{r['a']:,}", f"{r['b']:,}", f"{r['change']:+,}")
        rows.append((str(r["line"] or "-"), r["cause"], *numbers, r["text"]))
    print("\n" + aligned(rows, left=(1, 5), least=(6, 10, 13, 13, 14)))
    if total > len(shown):
        print(f"{total - len(shown):,} more; --top {total} lists all")
