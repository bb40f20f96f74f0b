"""The language server: requests of an editor, answered by the assembler."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import redirect_stdout

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ...asm.format import format_file
from ...isa.errors import SourceError
from ...isa.table import BY_NAME
from ...isa.version import __version__
from . import texts
from .complete import completions
from .documents import Document, Documents
from .rename import Refused, can_be_renamed, renamed
from .symbols import Kind, Occurrence

DELAY = 0.15
"""Seconds without a change after which a document is assembled."""


class Server(LanguageServer):
    """A language server with its documents."""

    def __init__(self) -> None:
        super().__init__(
            "simtlab", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full
        )
        self.documents = Documents()
        self.waiting: dict[str, asyncio.TimerHandle] = {}

    def document(self, uri: str) -> Document | None:
        """Return a document, with places in the units that the client counts."""
        utf16 = types.PositionEncodingKind.Utf16
        self.documents.encoding = self.workspace.position_encoding or utf16
        return self.documents.get(uri)

    def changed(self, uri: str) -> None:
        """Publish the errors of a document and of those that include it after a while."""
        self.cancel(uri)
        loop = asyncio.get_running_loop()
        self.waiting[uri] = loop.call_later(DELAY, self.publish, uri)

    def cancel(self, uri: str) -> None:
        """Forget that a document has changed."""
        if uri in self.waiting:
            self.waiting.pop(uri).cancel()

    def publish(self, uri: str) -> None:
        """Publish the errors of a document and of those that include it."""
        self.cancel(uri)
        for name in (uri, *self.documents.including(uri)):
            document = self.document(name)
            found = document.diagnostics() if document else []
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=name, diagnostics=found)
            )


def _markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def make() -> Server:
    """Return a server that is ready to start."""
    server = Server()
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_error)
    _synchronise(server)
    _navigate(server)
    _edit(server)
    return server


def _is_error(record: logging.LogRecord) -> bool:
    """Return whether a log entry is about more than a refused request."""
    return not (record.exc_info and isinstance(record.exc_info[1], Refused))


def _synchronise(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.documents.change(params.text_document.uri, params.text_document.text)
        ls.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.documents.change(uri, ls.workspace.get_text_document(uri).source)
        ls.changed(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.documents.forget()  # a file that was missing may be there now
        ls.publish(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        ls.cancel(uri)
        including = ls.documents.including(uri)
        ls.documents.change(uri, None)
        ls.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=[])
        )
        for other in including:
            ls.publish(other)


def _navigate(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
        document = ls.document(params.text_document.uri)
        if document is None:
            return None
        name = document.at(params.position)
        parts = [*(_about(document, name) if name else ()), *document.errors_at(params.position)]
        if not parts:
            return None
        where = document.location(name).range if name else None
        return types.Hover(_markdown("\n\n---\n\n".join(parts)), where)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: Server, params: types.DefinitionParams) -> list[types.Location] | None:
        document = ls.document(params.text_document.uri)
        name = document.at(params.position) if document else None
        if document is None or name is None:
            return None
        if name.kind is Kind.INCLUDE:
            return _included(document, name)
        return [document.location(found) for found in document.index.definitions(name)]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(ls: Server, params: types.ReferenceParams) -> list[types.Location] | None:
        document = ls.document(params.text_document.uri)
        name = document.at(params.position) if document else None
        if document is None or name is None or name.kind in (Kind.INCLUDE, Kind.DIRECTIVE):
            return None
        declared = params.context.include_declaration or name.kind is Kind.REGISTER
        return [
            document.location(found)
            for found in document.index.same(name)
            if declared or not found.is_definition
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(
        ls: Server, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol] | None:
        document = ls.document(params.text_document.uri)
        return document.symbols() if document else None

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hints(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint] | None:
        document = ls.document(params.text_document.uri)
        if document is None:
            return None
        first, last = params.range.start.line + 1, params.range.end.line + 1
        return [
            _hint(document, line, label)
            for line, label in document.study.implicit_joins().items()
            if first <= line <= last
        ]


def _about(document: Document, name: Occurrence) -> list[str]:
    """Return what is known of the name under the mouse."""
    if name.kind is Kind.INSTRUCTION:
        joins = [f"This branch {text}." for text in document.study.joins(name.line)]
        return [*joins, texts.instruction(BY_NAME[name.name])]
    if name.kind is Kind.DIRECTIVE:
        return [texts.directive(name.name)]
    return [text for text in [texts.declaration(document.study, document.index, name)] if text]


def _included(document: Document, name: Occurrence) -> list[types.Location]:
    """Return the beginning of the file that an `.include` names, where it could be read."""
    main = document.study.main
    wanted = (main.path.parent if main.path else None) and (
        main.path.parent / name.name[1:-1]  # pyright: ignore[reportOptionalMemberAccess]
    ).resolve()
    start = types.Position(0, 0)
    return [
        types.Location(document.uri_of(file), types.Range(start, start))
        for file, source in document.study.files.items()
        if source.path is not None and source is not main and source.path.resolve() == wanted
    ]


def _hint(document: Document, line: int, label: str) -> types.InlayHint:
    """Return the hint after the code of a branch: the join that the assembler has found."""
    text = document.study.main.lines[line - 1]
    end = len(text.split("//", 1)[0].rstrip())
    return types.InlayHint(
        document.positions.place(line, end),
        f"join {label}",
        tooltip="The immediate post-dominator, at which the lanes of the two sides re-converge.",
        padding_left=True,
    )


def _edit(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=[".", "@", "%", "$", "\\"]),
    )
    def complete(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
        document = ls.document(params.text_document.uri)
        if document is None:
            return None
        return types.CompletionList(False, completions(document, params.position))

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(
        ls: Server, params: types.DocumentFormattingParams
    ) -> list[types.TextEdit] | None:
        document = ls.document(params.text_document.uri)
        if document is None:
            return None
        try:
            text = format_file(document.study.main)
        except SourceError:
            return None  # the errors are shown already
        if text == document.study.main.text:
            return []
        return [types.TextEdit(document.positions.everything(), text)]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(ls: Server, params: types.PrepareRenameParams) -> types.Range | None:
        document = ls.document(params.text_document.uri)
        name = document.at(params.position) if document else None
        return can_be_renamed(document, name) if document and name else None

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
        document = ls.document(params.text_document.uri)
        name = document.at(params.position) if document else None
        return renamed(document, name, params.new_name) if document and name else None

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    def actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        document = ls.document(params.text_document.uri)
        if document is None:
            return None
        return [
            types.CodeAction(
                title=f"Replace by `{edit.replacement}`",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[document.diagnostic(found)],
                is_preferred=True,
                edit=types.WorkspaceEdit(
                    changes={
                        document.uri: [
                            types.TextEdit(document.positions.of(edit.span), edit.replacement)
                        ]
                    }
                ),
            )
            for found, edit in document.edits_in(params.range)
        ]


def serve() -> int:
    """Serve one client on stdin and stdout until it ends the session; return the exit status.

    The server closes its own copies of the streams. Whatever else is printed meanwhile goes to
    stderr, since it would break the protocol.
    """
    with os.fdopen(os.dup(0), "rb") as stdin, os.fdopen(os.dup(1), "wb") as stdout:
        with redirect_stdout(sys.stderr):
            try:
                make().start_io(stdin, stdout)
            except SystemExit as end:
                return int(end.code or 0)
    return 0
