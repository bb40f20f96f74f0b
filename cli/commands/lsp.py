"""`simtlab lsp`: the language server."""

from __future__ import annotations


def lsp() -> int:
    """Serve an editor on stdin and stdout by the Language Server Protocol.

    Editors start this command themselves; `simtlab explain editors` describes their set-up.
    It needs the packages of simtlab[lsp].

    For example:

      simtlab lsp
    """
    import sys

    from ...isa.errors import UsageError

    if sys.stdin.isatty():
        raise UsageError(
            "the language server talks to an editor over stdin and stdout, not to a terminal",
            code="SIM517",
            hint="`simtlab explain editors` describes the set-up of editors",
        )
    try:
        from ...editors.lsp.server import serve
    except ModuleNotFoundError as problem:
        package = (problem.name or "").partition(".")[0]
        if package not in ("pygls", "lsprotocol"):
            raise
        raise UsageError(
            f"the language server needs the package {package}, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[lsp]'",
        ) from None
    return serve()
