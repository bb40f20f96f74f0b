"""What the site's pages use beyond Markdown: listings, charts of lanes, pages of recordings."""

from __future__ import annotations

from typing import Any

from charts import Lanes
from highlighting import add_lexers, name_languages, open_paths
from listings import fill
from sphinx.application import Sphinx
from views import View, copy_views


def setup(app: Sphinx) -> dict[str, Any]:
    """Add what this folder defines; Sphinx calls this."""
    app.add_directive("lanes", Lanes)
    app.add_directive("view", View)
    app.connect("source-read", fill)
    app.connect("doctree-read", name_languages)
    app.connect("doctree-read", open_paths)
    app.connect("build-finished", copy_views)
    add_lexers(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
