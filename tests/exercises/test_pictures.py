"""Pictures: what is drawn is what happened."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.exercises import ExerciseError, catalogue, find
from simtlab.exercises.pictures import BLUE, GREEN, RED

from .support.answers import WRONG

KERNELS = [exercise for exercise in catalogue() if not exercise.is_scheduler]


def wrong(exercise: str, title: str) -> str:
    (found,) = [w for w in WRONG if (w.exercise, w.title) == (exercise, title)]
    return found.text


def pixels(image: np.ndarray, colour: tuple[int, int, int]) -> int:
    return int((image == colour).all(axis=2).sum())


@pytest.mark.parametrize("exercise", KERNELS, ids=lambda exercise: exercise.name)
def test_every_solution_has_a_picture_without_red(exercise):
    picture = exercise.show()
    assert picture.image.dtype == np.uint8
    assert picture.image.ndim == 3
    assert max(picture.image.shape) <= 1500
    assert picture.png.startswith(b"\x89PNG")
    assert picture._repr_html_().startswith("<img src='data:image/png;base64,")
    assert not pixels(picture.image, RED)


def test_wrong_elements_are_red():
    report = find("reduction").check(wrong("reduction", "no barrier"))
    first = report.cases[-1].first_wrong
    assert first is not None
    assert first.count == 1
    image = report.show().image
    assert pixels(image, RED) == 19 * 19  # one tile of 20 pixels, without its edges


def test_masks_show_divergence():
    def active(answer: str) -> float:
        image = find("divergence").show(answer).image[12:-12, 12:-12]
        return pixels(image, BLUE) / (image.shape[0] * image.shape[1])

    solution = find("divergence").solution.read_text(encoding="utf-8")
    assert active(wrong("divergence", "work-item i takes element i")) < 0.75 * active(solution)


def test_accesses_show_lines_and_banks():
    blocks = find("coalescing").show(wrong("coalescing", "a block for each work-item"))
    assert blocks.image.shape[1] > 2 * find("coalescing").show().image.shape[1]
    banks = find("reduction-banks")
    assert pixels(banks.show().image, GREEN)
    conflicts = banks.show(wrong("reduction-banks", "neighbours first"))
    assert pixels(conflicts.image, RED)


def test_warps_show_when_they_issue():
    """The last warp has most of the work, and issues from early on to nearly the end."""
    image = find("scheduler").show().image[12:-12, 12:-12].astype(int)
    rows = image[4 : 32 * 9 : 9, :, 0]
    active = [np.flatnonzero(row < 200) for row in rows]
    assert len(active) == 32
    assert active[31].size > 4 * active[0].size
    assert active[31][-1] > 0.9 * image.shape[1]


def test_what_did_not_run_has_no_picture():
    for report in (
        find("masked-add").check(find("masked-add").start),
        find("lock").check(wrong("lock", "waiting in a loop")),
    ):
        with pytest.raises(ExerciseError, match="cannot be drawn"):
            report.show()
