"""Sphinx's settings for the site: `make docs` builds docs/ into build/docs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import simtlab

project = "simtlab"
author = "simtlab contributors"
version = release = simtlab.__version__

extensions = [
    "myst_nb",  # myst_parser, and notebooks
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "extension",
]
# .myst: for the site only
source_suffix = {".md": "myst-nb", ".myst": "myst-nb", ".ipynb": "myst-nb"}
nb_render_markdown_format = "myst"  # tables
nb_execution_mode = "off"  # as committed; tests/docs/test_notebooks.py executes them
exclude_patterns = ["_site", "_build", "examples"]
nitpicky = False
highlight_language = "none"
pygments_style = "default"
pygments_dark_style = "github-dark"

myst_enable_extensions = ["colon_fence", "attrs_inline", "deflist"]
myst_heading_anchors = 4

smartquotes_action = "q"  # two hyphens begin an option
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_type_aliases = {"DTypeLike": "DTypeLike", "npt.DTypeLike": "DTypeLike"}
autodoc_default_options = {"exclude-members": "model_config, model_post_init"}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
toc_object_entries_show_parents = "hide"

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "simtlab"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["views.js"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "sidebar_hide_name": False,
    "navigation_with_keys": True,
    "light_css_variables": {
        "color-brand-primary": "#0b6e4f",
        "color-brand-content": "#0b6e4f",
    },
    "dark_css_variables": {
        "color-brand-primary": "#4fd1a5",
        "color-brand-content": "#4fd1a5",
    },
}
