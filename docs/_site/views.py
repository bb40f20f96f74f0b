"""Pages of recordings (`simtlab view`), embedded in pages of the site."""

from __future__ import annotations

import shutil
from hashlib import sha256
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from runs import CommandFailed, folder_like, recording_of, run
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FOLDER = "views"
"""Where the pages lie in the site."""


class View(SphinxDirective):
    """One command that records a run, or two; the page shows the page that `simtlab view` makes.

    Options: `height` in pixels (760), `title`, and `at`, the place at which the page opens, in the
    form of its address: t=16&warp=0&lane=3.
    """

    has_content = True
    option_spec = {  # noqa: RUF012
        "at": directives.unchanged_required,
        "height": directives.nonnegative_int,
        "title": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Return the frame; Sphinx calls this."""
        page, lines = Path(self.get_source_info()[0]), [x for x in self.content if x.strip()]
        name = f"{page.stem}-{sha256(repr(lines).encode()).hexdigest()[:8]}.html"
        made = Path(self.env.doctreedir) / FOLDER / name
        made.parent.mkdir(parents=True, exist_ok=True)
        try:
            with folder_like(page) as folder:
                files = " ".join(file.name for file in recording_of(lines, folder))
                run(f"simtlab view {files} -o view.html", folder)
                shutil.copy(folder / "view.html", made)
        except CommandFailed as error:
            raise self.error(str(error)) from None
        up = "../" * self.env.docname.count("/")
        place = f"{up}{FOLDER}/{name}" + (
            f"#{escape(at)}" if (at := self.options.get("at")) else ""
        )
        title = escape(self.options.get("title", "The recording"))
        html = (
            f'<figure class="view"><iframe src="{place}" loading="lazy" '
            f'title="{title}" height="{self.options.get("height", 760)}"></iframe>'
            f'<figcaption>{title}. <a href="{place}">Open it on a page of its own</a>.'
            f"</figcaption></figure>"
        )
        return [nodes.raw("", html, format="html")]


def copy_views(app: Sphinx, exception: Exception | None) -> None:
    """Copy the pages of recordings into the built site; Sphinx calls this at the end."""
    made = Path(app.doctreedir) / FOLDER
    if exception is None and made.is_dir():
        shutil.copytree(made, Path(app.outdir) / FOLDER, dirs_exist_ok=True)
