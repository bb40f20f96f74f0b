"""Commands that move: forwards and backwards."""

from __future__ import annotations

from collections.abc import Sequence

from ...isa.errors import UsageError, did_you_mean
from ..cursor import Stop
from ..session import Session
from .registry import COMMANDS, command, count, number, stop_lines


def _move(session: Session, words: str, *, back: bool) -> Stop:
    word, _, rest = words.partition(" ")
    rest = rest.strip()
    match COMMANDS[word].names[0] if word in COMMANDS else word:
        case "step":
            return session.step(count(rest, "step"), back=back)
        case "tick":
            return session.tick(count(rest, "tick"), back=back)
        case "line":
            return session.line(back=back)
        case "continue":
            return session.resume(back=back)
        case "to":
            event, _, where = rest.partition(" ")
            if where.strip() not in ("", "any"):
                raise UsageError(f"`to {event}` takes `any`, not {where!r}", code="SIM531")
            return session.to_event(event, back=back, anywhere=bool(where))
    known = ("step", "tick", "line", "continue", "to")
    raise UsageError(
        f"`back` is followed by {', '.join(known)}, not {word!r}",
        code="SIM531",
        hint=did_you_mean(word, known),
    )


@command("step s n", "step [N]", "execute N instructions of the warp in focus")
def _(self: Session, rest: str) -> Sequence[str]:
    return stop_lines(self, _move(self, f"step {rest}", back=False))


@command("tick", "tick [N]", "go N times to the next step or cycle in which a warp issues")
def _(self: Session, rest: str) -> Sequence[str]:
    return stop_lines(self, _move(self, f"tick {rest}", back=False))


@command("line next", "line", "go to another source line of the warp in focus")
def _(self: Session, rest: str) -> Sequence[str]:
    return stop_lines(self, _move(self, "line", back=False))


@command(
    "to",
    "to EVENT [any]",
    "go to just after the next divergence, split, merge, join, barrier, open, miss or exit, to a "
    "block (the warp begins one) or a change (of its mask); `any`: of any warp",
)
def _(self: Session, rest: str) -> Sequence[str]:
    return stop_lines(self, _move(self, f"to {rest}", back=False))


@command("continue c", "continue", "continue to the next hit of a breakpoint, or to the end")
def _(self: Session, rest: str) -> Sequence[str]:
    return stop_lines(self, _move(self, "continue", back=False))


@command("finish", "finish", "go to where the path of the warp joins others, or returns")
def _(self: Session, rest: str) -> Sequence[str]:
    return stop_lines(self, self.finish())


@command("back b-", "back [step|tick|line|to EVENT|continue]", "the same, backwards (step)")
def _(self: Session, rest: str) -> Sequence[str]:
    words = rest or "step"
    if words.split()[0].isdigit():
        words = f"step {words}"
    return stop_lines(self, _move(self, words, back=True))


for _short, _long in (("bs", "step"), ("bc", "continue"), ("bl", "line"), ("bt", "tick")):

    def _backwards(self: Session, rest: str, word: str = _long) -> Sequence[str]:
        return stop_lines(self, _move(self, f"{word} {rest}".strip(), back=True))

    command(_short, f"{_short}", f"short for `back {_long}`")(_backwards)


@command("goto", "goto T|start|end", "go to a step or cycle, or to an end of the run")
def _(self: Session, rest: str) -> Sequence[str]:
    session = self
    if rest == "start":
        stop = session.goto(0, "start")
    elif rest == "end":
        stop = session.goto(session.timeline.n)
    else:
        stop = session.goto_time(number(rest, "`goto` takes start, end or a time, which"))
    return stop_lines(session, stop)
