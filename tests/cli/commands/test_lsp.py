"""`simtlab lsp` where there is no editor, and source text on a terminal."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_at_a_terminal_is_told_what_the_command_is_for(cli, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal())
    done = cli("lsp")
    assert done.status == 2
    assert "not to a terminal" in done.err
    assert "simtlab explain editors" in done.err


@pytest.mark.parametrize("package", ["pygls", "lsprotocol"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(cli, monkeypatch, package):
    for name in [n for n in sys.modules if n.startswith(("simtlab.editors.lsp", package))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)  # what Python sees when it is not installed
    done = cli("lsp")
    assert done.status == 2
    assert "error[SIM520]" in done.err
    assert "pip install 'simtlab[lsp]'" in done.err


def test_a_listing_is_highlighted_on_a_terminal_only(cli, monkeypatch):
    cli("asm", "scale.sasm")
    plain = cli("disasm", "scale.sbc").out
    assert "\x1b" not in plain
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", screen)
        cli("disasm", "scale.sbc")
    shown = screen.getvalue()
    assert "\x1b[" in shown
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == plain
    assert Path("scale.sbc").exists()
