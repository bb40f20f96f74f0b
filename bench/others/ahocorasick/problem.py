"""Words in rows of text, by an automaton of Aho and Corasick with failure links."""

import numpy as np
from peers.problem import Launch, Problem

LENGTH = 128
WORDS = (b"ab", b"abba", b"bad", b"cab", b"dad", b"deed", b"bead", b"aced", b"fade", b"cafe")
FULL = {"rows": 1 << 13}
SMALL = {"rows": 60}
LETTERS = 6


def automaton():
    """Return (children, failure links, words that end) of the states; 0 is no child."""
    children, ends = [[0] * LETTERS], [0]
    for word in WORDS:
        state = 0
        for letter in word:
            if not children[state][letter - 97]:
                children[state][letter - 97] = len(children)
                children.append([0] * LETTERS)
                ends.append(0)
            state = children[state][letter - 97]
        ends[state] += 1
    fail, work = [0] * len(children), [c for c in children[0] if c]
    for state in work:
        for letter, child in enumerate(children[state]):
            if child:
                other = fail[state]
                while other and not children[other][letter]:
                    other = fail[other]
                fail[child] = children[other][letter]
                ends[child] += ends[fail[child]]
                work.append(child)
    return children, fail, ends


def make(rng, rows):
    children, fail, ends = automaton()
    arrays = {
        "children": np.array(children, np.uint32),
        "fail": np.array(fail, np.uint32),
        "ends": np.array(ends, np.uint32),
        "text": rng.integers(97, 97 + LETTERS, (rows, LENGTH), np.uint8),
        "found": np.zeros(rows, np.uint32),
    }
    launch = Launch("ahocorasick", (np.uint32(rows), *arrays), (rows,), (128,))
    return Problem(arrays, [launch], ("found",))


def answer(problem):
    texts = [row.tobytes() for row in problem.arrays["text"]]
    found = [sum(t.startswith(w, i) for w in WORDS for i in range(LENGTH)) for t in texts]
    return {"found": np.array(found, np.uint32)}
