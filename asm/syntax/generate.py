"""The tables of grammar.lark as data: `python -m simtlab.asm.syntax.generate` writes grammar.json.

Lark reads the grammar and computes the LALR(1) tables when the grammar changes. Assembling does not
need it: the package contains the tables, as plain numbers and names, and a test compares them with
the grammar. Lark is needed for this and for tests only.
"""

from __future__ import annotations

import json
from typing import Any, cast

from lark import Lark
from lark.grammar import Rule, Terminal
from lark.lexer import TerminalDef
from lark.parsers.lalr_analysis import Shift

from .shapes import FILE, STARTS, STATEMENTS

_COMMON = ("BRACKETS", "COMMA", "REGISTER", "LABEL", "PARAMETER")
"""Terminals that are tried first: no other one begins like them, except `[` like `[...]`."""


def grammar() -> Lark:
    """Return the grammar as Lark parses by it."""
    return Lark(
        FILE.with_suffix(".lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        maybe_placeholders=False,
    )


def tables() -> dict[str, Any]:
    """Return the content of grammar.json.

    `terminals` are names and patterns in the order in which they are tried. A rule has the names of
    what it makes and of its left side, the number of its symbols, those whose values it keeps, and
    whether a single value is passed on as it is. A state maps a symbol to the next state, or to
    -1 - n where rule n is complete. `starts` have the states in which a start rule begins and
    ends.
    """
    lark = grammar()
    table = cast(Any, lark.parser).parser._parse_table
    order = _order(table)
    number = {state: n for n, state in enumerate(order)}
    rules = {rule: n for n, rule in enumerate(lark.rules)}

    def action(kind: Any, argument: Any) -> int:
        return number[argument] if kind is Shift else ~rules[argument]

    return {
        "terminals": [[t.name, t.pattern.to_regexp()] for t in _terminals(lark)],
        "rules": [_rule(rule) for rule in lark.rules],
        "starts": {s: [number[table.start_states[s]], number[table.end_states[s]]] for s in STARTS},
        "states": [
            {symbol: action(*found) for symbol, found in sorted(table.states[state].items())}
            for state in order
        ],
    }


def _terminals(lark: Lark) -> list[TerminalDef]:
    """Return the terminals, but for spaces: those of `_COMMON`, then the others in Lark's order."""
    named = {t.name: t for t in lark.terminals if t.name != "SPACE"}
    others = sorted(
        (t for t in named.values() if t.name not in _COMMON),
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )
    return [*(named[name] for name in _COMMON), *others]


def _rule(rule: Rule) -> list[Any]:
    """Return a rule as grammar.json has it. Signs in an expression are in the name of its rule."""
    origin = rule.origin.name
    made = rule.alias or origin
    drops_signs = made not in STATEMENTS and not made.startswith("_")
    kept = [
        i
        for i, symbol in enumerate(rule.expansion)
        if not (isinstance(symbol, Terminal) and symbol.filter_out)
        and not (drops_signs and symbol.name in ("PLUS", "MINUS"))
    ]
    return [made, origin, len(rule.expansion), kept, rule.options.expand1 and not rule.alias]


def _order(table: Any) -> list[Any]:
    """Return the states in the order of reaching them, which is equal in every run of Lark."""
    found = dict.fromkeys(table.start_states[start] for start in STARTS)
    todo = list(found)
    for state in todo:
        for _, (kind, argument) in sorted(table.states[state].items()):
            if kind is Shift and argument not in found:
                found[argument] = None
                todo.append(argument)
    return todo


def text() -> str:
    """Return the text of grammar.json: a rule or a state a line."""
    parts = []
    for name, value in tables().items():
        items = value.items() if isinstance(value, dict) else value
        lines = [
            f"{json.dumps(i[0])}: {json.dumps(i[1])}" if isinstance(value, dict) else json.dumps(i)
            for i in items
        ]
        open_, close = "{}" if isinstance(value, dict) else "[]"
        parts.append(f"{json.dumps(name)}: {open_}\n" + ",\n".join(lines) + f"\n{close}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
