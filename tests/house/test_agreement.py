"""Facts that stand in two places agree: package list and tree, versions, extras, layers."""

from __future__ import annotations

import ast
import re

import pytest

from simtlab.cli import pages


@pytest.fixture(scope="module")
def version(tree) -> str:
    """`__version__` as isa/version.py spells it, read without running it."""
    for node in ast.parse((tree.root / "isa" / "version.py").read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__":
            return ast.literal_eval(node.value)
    raise AssertionError("isa/version.py must assign a literal to __version__: setuptools reads it")


def test_every_package_of_the_tree_is_listed(tree):
    listed = tree.project["tool"]["setuptools"]["packages"]
    assert listed == sorted(tree.packages), (
        "pyproject.toml, [tool.setuptools] packages: list every folder that has an __init__.py, "
        "in alphabetical order, and no other"
    )


def test_the_root_holds_no_module_by_accident(tree):
    """A .py file in the root is a module of simtlab and travels in the wheel."""
    assert {path.name for path in tree.root.glob("*.py")} <= {"__init__.py", "__main__.py"}


def test_the_readme_counts_the_claims_that_the_report_counts(tree):
    report = (tree.root / "docs" / "reproduction" / "index.md").read_text("utf-8")
    found = re.search(r"^\| all \|  \| (\d+) \| (\d+) \| (\d+) \| 0 \|", report, re.MULTILINE)
    assert found is not None
    holds, direction, fails = map(int, found.groups())
    readme = " ".join((tree.root / "README.md").read_text("utf-8").split())
    assert (
        f"Of {holds + direction + fails} claims that were measured at the papers' sizes, {holds} "
        f"hold, {direction} hold in direction only, and {fails} do not hold"
    ) in readme


CARRIERS = ("simtlab.programs", "simtlab.exercises")
"""Packages of which some .py files travel as data."""


def test_no_module_hides_in_a_folder_without_init(tree):
    """Python imports it all the same, from a checkout; a wheel would not have it."""
    hidden = {
        path.relative_to(tree.root).as_posix()
        for name, folder in tree.packages.items()
        if name.count(".") == 1 and name not in CARRIERS
        for path in folder.rglob("*.py")
        if path.parent not in tree.packages.values()
    }
    assert not hidden, "their folders need an __init__.py and a line in pyproject.toml"


def test_every_layer_is_a_folder_or_optional(tree):
    """Every top folder has its line in the contract of the layers, as `lint-imports` demands."""
    contracts = tree.project["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["id"] == "layers")
    named = {name for line in layers for name in re.findall(r"\w+", line)}
    assert {n.split(".")[1] for n in tree.packages if n.count(".") == 1} <= named


def test_the_citation_gives_the_version(tree, version):
    citation = (tree.root / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [version]


def test_the_changelog_is_kept(tree, version):
    headings = re.findall(
        r"^## \[([^]]+)\](?: - \d{4}-\d{2}-\d{2})?$",
        (tree.root / "CHANGELOG.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert headings[0] == "Unreleased"
    released = headings[1:]
    assert not released or released[0] == version


def test_the_extras_are_those_promised(tree):
    extras = set(tree.project["project"]["optional-dependencies"])
    assert extras == {
        "bench", "cluster", "dev", "docs", "lab", "lsp", "parquet", "plot", "test", "tui"
    }  # fmt: skip


def test_dev_covers_what_the_suite_builds_with(tree):
    """The wheel is built without isolation, so the build's own requirements come with dev."""
    project = tree.project
    dev = set(project["project"]["optional-dependencies"]["dev"])
    assert set(project["build-system"]["requires"]) <= dev


def test_every_dependency_is_imported_somewhere(tree):
    """What a user has to install is used; tools of the developers are called by name."""
    project = tree.project["project"]
    extras = project["optional-dependencies"]
    named = [
        name
        for extra in ("cluster", "plot", "lab", "lsp", "parquet", "tui")
        for name in extras[extra]
    ]
    needed = [*project["dependencies"], *named]
    names = {re.match(r"[\w-]+", line)[0] for line in needed} - {"simtlab"}  # pyright: ignore
    text = "\n".join(
        path.read_text("utf-8") for folder in tree.packages.values() for path in folder.glob("*.py")
    )
    imported = set(re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE))
    assert names - imported == set()


def test_messages_point_to_what_is_installed(tree):
    """A user of the wheel has no docs folder at hand: `simtlab explain PAGE` prints the page."""
    found: list[str] = []
    for folder in tree.packages.values():
        for path in folder.glob("*.py"):
            for text in _messages(ast.parse(path.read_text("utf-8"))):
                found += re.findall(r"docs/[\w/-]+\.md", text)
                named = re.findall(r"`simtlab explain ([a-z][a-z/-]+)`", text)
                found += [name for name in named if pages.find(name) is None]
    assert not found


def _messages(tree: ast.Module) -> list[str]:
    """The texts of a module that are neither docstrings nor comments on a constant."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documentation
    ]
