"""What the options of `exercise` change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from simtlab.exercises import catalogue, find

from ..conftest import Cli

PNG = b"\x89PNG\r\n\x1a\n"


def answer(name: str = "masked-add") -> str:
    """Write the solution of an exercise to the current folder; return the file's name."""
    path = Path(f"{name}.sasm")
    path.write_text(find(name).solution.read_text(encoding="utf-8"), encoding="utf-8")
    return str(path)


def students() -> None:
    Path("class/ada").mkdir(parents=True)
    for name in ("masked-add", "map-2d"):
        text = find(name).solution.read_text(encoding="utf-8")
        Path(f"class/ada/{name}.sasm").write_text(text, encoding="utf-8")


def list_json(cli: Cli) -> None:
    answer()
    rows = cli("exercise", "--json").json
    assert [row["name"] for row in rows] == [exercise.name for exercise in catalogue()]
    assert [row["state"] for row in rows[:2]] == ["passed", None]


def start_output(cli: Cli) -> None:
    done = cli("exercise", "start", "masked-add", "-o", "my.sasm")
    assert done.status == 0
    assert Path("my.sasm").read_text(encoding="utf-8") == find("masked-add").start_text()
    assert not Path("masked-add.sasm").exists()


def show_json(cli: Cli) -> None:
    found = cli("exercise", "show", "lock", "--json").json
    assert found["name"] == "lock"
    assert found["hints"] == 3
    assert "trap HOLE" in found["start"]


def check_picture(cli: Cli) -> None:
    done = cli("exercise", "check", "masked-add", answer(), "--picture", "p.png")
    assert done.status == 0
    assert "picture p.png: y: left as expected" in done.out
    assert Path("p.png").read_bytes().startswith(PNG)


def check_json(cli: Cli) -> None:
    done = cli("exercise", "check", "masked-add", answer(), "--json")
    assert done.status == 0
    assert done.json["passed"] is True
    assert done.json["picture"] is None


def grade_csv(cli: Cli) -> None:
    students()
    done = cli("exercise", "grade", "class", "--csv", "points.csv")
    assert done.status == 0
    assert Path("points.csv").read_text(encoding="utf-8").count("\n") == 3
    assert done.out.split("\n")[1].split() == ["ada", "100", "100", "200"]


def grade_only(cli: Cli) -> None:
    students()
    out = cli("exercise", "grade", "class", "--only", "map-2d").out
    assert "masked-add" not in out
    assert out.split("\n")[1].split() == ["ada", "100", "100"]


def grade_json(cli: Cli) -> None:
    students()
    rows = cli("exercise", "grade", "class", "--json").json
    assert [(row["student"], row["points"]) for row in rows] == [("ada", 100), ("ada", 100)]
    assert rows[0]["report"]["state"] == "passed"


def export_output(cli: Cli) -> None:
    done = cli("exercise", "export", "map-2d", "--output", "for/students")
    assert done.status == 0
    assert done.out.splitlines() == [
        "wrote for/students/02_map_2d: exercise.toml, inputs.py, start.sasm",
        "left out: solution.sasm",
    ]
    assert cli("exercise", "check", "for/students/02_map_2d", answer("map-2d")).status == 0
    again = cli("exercise", "export", "map-2d", "-o", "for/students")
    assert (again.status, again.err[:14]) == (2, "error[SIM512]:")


EFFECTS: dict[tuple[str, str], Callable[[Cli], None]] = {
    ("exercise", "--json"): list_json,
    ("exercise start", "--output"): start_output,
    ("exercise show", "--json"): show_json,
    ("exercise check", "--picture"): check_picture,
    ("exercise check", "--json"): check_json,
    ("exercise grade", "--csv"): grade_csv,
    ("exercise grade", "--only"): grade_only,
    ("exercise grade", "--json"): grade_json,
    ("exercise export", "--output"): export_output,
}
