"""Programs on inputs whose answer is published: standards, textbooks, and what must come back."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.programs import Data, find
from simtlab.programs.lwm import decrypt, viterbi
from simtlab.programs.ppc import fallthrough
from simtlab.programs.runner import PlainLauncher


def after_run(name: str, data: Data) -> Data:
    """The data of a program after it has run on them."""
    entry = find(name)
    entry.workload.launch(PlainLauncher(Module(assemble(entry.path))), data)
    return data


def octets(text: str) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(text), np.uint8)


@pytest.mark.parametrize(
    ("key", "plain", "cipher"),
    [
        (  # FIPS-197, appendix B
            "2b7e151628aed2a6abf7158809cf4f3c",
            "3243f6a8885a308d313198a2e0370734",
            "3925841d02dc09fbdc118597196a0b32",
        ),
        (  # FIPS-197, appendix C.1
            "000102030405060708090a0b0c0d0e0f",
            "00112233445566778899aabbccddeeff",
            "69c4e0d86a7b0430d8cdb78070b4c55a",
        ),
    ],
)
def test_aes_decrypts_the_examples_of_its_standard(key: str, plain: str, cipher: str) -> None:
    data = decrypt.encrypted(octets(key), octets(cipher).reshape(1, 16).copy())
    assert decrypt.reference(data)["plain"].tobytes().hex() == plain
    assert after_run("lwm/decrypt", data)["plain"].tobytes().hex() == plain


def test_aes_decrypts_as_a_library_does() -> None:
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers")
    rng = np.random.default_rng(9)
    key, cipher = rng.integers(0, 256, 16, np.uint8), rng.integers(0, 256, (40, 16), np.uint8)
    aes = ciphers.Cipher(ciphers.algorithms.AES(key.tobytes()), ciphers.modes.ECB())
    data = after_run("lwm/decrypt", decrypt.encrypted(key, cipher))
    assert data["plain"].tobytes() == aes.decryptor().update(cipher.tobytes())


@pytest.mark.parametrize("wrong", [0, 3])
def test_viterbi_gives_back_the_message(wrong: int) -> None:
    """Also where levels are the opposite of what was sent, if they are far enough apart.

    The code's free distance is 7: three errors within a stretch are corrected.
    """
    rng = np.random.default_rng(3)
    message = rng.integers(0, 2, (64, 5), np.uint8)
    message[-viterbi.MEMORY :] = 0
    levels = viterbi.encode(message) * np.uint8(15)
    for place in range(wrong):
        levels[place % 2, 10 + place] ^= 15
    found = after_run("lwm/viterbi", viterbi.received_as(levels))["message"]
    np.testing.assert_array_equal(
        found[np.arange(64) // 32] >> np.arange(64)[:, None] % 32 & 1, message
    )


def test_blackscholes_prices_the_textbooks_option() -> None:
    """J. C. Hull, Options, Futures, and Other Derivatives: a call of 4.76 and a put of 0.81."""
    ones = np.ones(1, np.float32)
    data = {
        "n": 1,
        "rate": 0.1,
        "volatility": 0.2,
        "stock": 42 * ones,
        "strike": 40 * ones,
        "years": 0.5 * ones,
        "call": 0 * ones,
        "put": 0 * ones,
    }
    after_run("lwm/blackscholes", data)
    assert (round(float(data["call"][0]), 2), round(float(data["put"][0]), 2)) == (4.76, 0.81)


def test_needleman_aligns_a_customary_pair_and_its_moves_lead_back() -> None:
    a, b = "GCATGCG", "GATTACA"
    n = len(a)
    data = find("lwm/needleman").workload.make(np.random.default_rng(0), pairs=1, n=n)
    data |= {"match": 1, "mismatch": -1, "gap": 1, "last": -np.arange(n + 1, dtype=np.int32)[None]}
    for name, letters in (("a", a), ("b", b)):
        data[name] = np.frombuffer(letters.encode(), np.uint8)[None].copy()
    after_run("lwm/needleman", data)
    assert data["last"][0, n] == 0
    i, j, score = n, n, 0
    while i and j:
        move = int(data["moves"][0, (i + j) // 16, i - 1]) >> (i + j) % 16 * 2 & 3
        score += -1 if move != 1 or a[i - 1] != b[j - 1] else 1
        i, j = i - (move != 3), j - (move != 2)
    assert score - i - j == 0


def test_blackjack_has_the_edge_of_a_game_without_splits() -> None:
    """Half a per cent with splits, about one without; 200,000 hands know it to a quarter of one."""
    workload = find("lwm/blackjack").workload
    data = workload.make(np.random.default_rng(0), players=1_000, hands=200)
    won = workload.reference(data)["net"].sum() / 2 / 200_000
    assert -0.02 < won < 0


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("c0 af e0 80 bf f0 81 82 41", "? ? ? ? ? ? ? ? 41"),  # table 3-8, not the shortest form
        ("ed a0 80 ed bf bf ed af 41", "? ? ? ? ? ? ? ? 41"),  # table 3-9, surrogates
        ("f4 91 92 93 ff 41 80 bf 42", "? ? ? ? ? 41 ? ? 42"),  # table 3-10, out of range
        ("e1 80 e2 f0 91 92 f1 bf 41", "? ? ? ? 41"),  # table 3-11, cut short
        ("4d d0 b0 e4 ba 8c f0 90 8c 82", "4d 430 4e8c 10302"),  # table 3-4, well-formed
    ],
)
def test_utf8_is_decoded_as_in_the_tables_of_unicode(sequence: str, expected: str) -> None:
    points = [0xFFFD if p == "?" else int(p, 16) for p in expected.split()]
    data = after_run("ppc/fallthrough", fallthrough.lines_of([b"", bytes.fromhex(sequence)]))
    assert data["count"].tolist() == [0, len(points)]
    assert data["points"][: len(points)].tolist() == points
    assert data["errors"].tolist() == [0, points.count(0xFFFD)]


def test_gotoerror_finds_two_frames_among_noise() -> None:
    """A short frame of 5, three bytes of noise, a long one of 0x010203, and noise to the end."""
    stream = bytes.fromhex("05fa 000000 8103027a") + bytes(58)
    data = find("ppc/gotoerror").workload.make(np.random.default_rng(0), n=1)
    data["stream"][:] = np.frombuffer(stream, np.uint8)
    after_run("ppc/gotoerror", data)
    found = {name: int(data[name][0]) for name in ("sum", "frames", "lost", "longest")}
    assert found == {"sum": 5 + 0x010203, "frames": 2, "lost": 58, "longest": 55}


def test_nw_scores_a_pair_that_can_be_scored_by_hand() -> None:
    """Sixteen equal letters, of which the second sequence lacks the first and has one more."""
    data = find("ppc/nw").workload.make(np.random.default_rng(0), tiles=1)
    letters = np.arange(17)
    data["similarity"][:] = np.where(letters[:16, None] == letters[1:], 5, -4)
    after_run("ppc/nw", data)
    assert data["score"][16, 16] == 15 * 5 - 2 * data["gap"]
    assert data["score"][16, 15] == 15 * 5 - data["gap"]
