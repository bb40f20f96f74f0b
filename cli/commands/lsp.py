"""`simtlab lsp`: the language server."""

from __future__ import annotations


def lsp() -> int:
    """Serve an editor on stdin and stdout by the Language Server Protocol.

    Editors start this command themselves; docs/editors.md describes their set-up. It needs
    the packages of simtlab[lsp].

    For example:

      simtlab lsp
    """
    from ...isa.errors import UsageError

    try:
        from ...editors.lsp.server import serve
    except ModuleNotFoundError as problem:
        if problem.name not in ("pygls", "lsprotocol"):
            raise
        raise UsageError(
            f"the language server needs the package {problem.name}, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[lsp]'",
        ) from None
    return serve()
