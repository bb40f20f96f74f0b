import random
import struct
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings

from simtlab.isa import (
    BY_NAME,
    ISA_VERSION,
    Instruction,
    Kernel,
    Location,
    ObjectFileError,
    Program,
    Segment,
    dumps,
    loads,
    verify,
)
from simtlab.isa.encoding import encode
from simtlab.isa.objectfile import MAGIC
from simtlab.isa.program import layout_params, layout_symbols
from simtlab.isa.quoting import cut_message
from simtlab.isa.types import F32, U8, U32, U64

from .support.forms import registers
from .support.programs import programs

HEADER = 16


def example() -> Program:
    """Two kernels with everything that an object file can hold."""
    code = [
        registers(BY_NAME["workitemabsid_u32"], 0),
        Instruction(BY_NAME["cbr"], registers(BY_NAME["cbr"]).dst, registers(BY_NAME["cbr"]).srcs),
        registers(BY_NAME["ld_global_f32"]),
        Instruction(BY_NAME["ret"]),
    ]
    code[1] = replace(code[1], target=3, join=3, subdivide=True)
    words = tuple(encode(ins, pc) for pc, ins in enumerate(code))
    places = tuple(Location(pc // 2, 3 + pc, 5) for pc in range(4))
    readonly = layout_symbols(Segment.READONLY, [("t", U8, 3), ("u", U32, 1)])
    first = Kernel(
        "first",
        layout_params([("a", F32, False), ("x", F32, True)]),
        words,
        layout_symbols(Segment.GROUP, [("tile", F32, 16)]),
        layout_symbols(Segment.PRIVATE, [("stack", U64, 2)]),
        (("head", 0), ("done", 3), ("end", 4)),
        places,
    )
    second = Kernel("second", (), (encode(Instruction(BY_NAME["ret"]), 0),))
    return Program((first, second), readonly, bytes([1, 2, 3, 0, 9, 0, 0, 0]), ("a.sasm", "b.sinc"))


def sealed(body: bytes) -> bytes:
    """The body behind a header with the right checksum."""
    return struct.pack("<8sHHI", MAGIC, 1, ISA_VERSION, zlib.crc32(body)) + body


def outcome(data: bytes) -> Program | None:
    """What a loader makes of bytes: a program that verifies, or None with a clear message."""
    try:
        program = loads(data)
    except ObjectFileError as error:
        first = error.first
        clear = first.code.startswith("SIM2") and len(first.message) > 10
        return None if clear else pytest.fail(f"a poor message: {error}")
    verify(program)
    assert dumps(program) == data
    return program


def test_a_program_survives_the_object_file():
    assert loads(dumps(example())) == example()


@settings(max_examples=60, deadline=None)
@given(programs())
def test_any_program_survives_the_object_file(program):
    assert loads(dumps(program)) == program
    assert dumps(loads(dumps(program))) == dumps(program)


def test_the_header_is_magic_versions_and_checksum():
    data = dumps(example())
    assert data[:12] == b"SIMTLAB\0" + bytes([1, 0, ISA_VERSION, 0])
    assert struct.unpack("<I", data[12:16]) == (zlib.crc32(data[16:]),)


def test_every_truncation_is_an_error():
    data = dumps(example())
    for size in range(len(data)):
        with pytest.raises(ObjectFileError):
            loads(data[:size])


def test_every_truncation_of_the_body_is_an_error_even_with_a_right_checksum():
    body = dumps(example())[HEADER:]
    for size in range(len(body)):
        with pytest.raises(ObjectFileError):
            loads(sealed(body[:size]))


def test_every_single_bit_flip_is_an_error():
    data = dumps(example())
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ObjectFileError):
            loads(bytes(damaged))


def mutate(body: bytes, chance: random.Random) -> bytes:
    """Flip bits, overwrite, insert, delete or copy bytes."""
    data = bytearray(body)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data))
        match chance.randrange(5):
            case 0:
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                data[at] = chance.choice((0, 1, 2, 127, 128, 255))
            case 2:
                data.insert(at, chance.randrange(256))
            case 3 if len(data) > 1:
                del data[at]
            case _:
                size = chance.randint(1, 8)
                other = chance.randrange(len(data))
                data[at : at + size] = data[other : other + size]
    return bytes(data) or b"\0"


def damage(cases: int) -> None:
    chance = random.Random(20_000)
    body = dumps(example())[HEADER:]
    valid = sum(outcome(sealed(mutate(body, chance))) is not None for _ in range(cases))
    assert 0 < valid < cases


def test_damage_under_a_right_checksum_gives_a_valid_program_or_an_error():
    damage(2_000)


@pytest.mark.slow
def test_much_damage_under_a_right_checksum_gives_a_valid_program_or_an_error():
    damage(40_000)


@settings(max_examples=30, deadline=None)
@given(programs())
def test_damage_to_any_program_gives_a_valid_program_or_an_error(program):
    chance = random.Random(1)
    body = dumps(program)[HEADER:]
    for _ in range(10):
        outcome(sealed(mutate(body, chance)))


def test_noise_is_an_error():
    chance = random.Random(2)
    for size in (0, 1, 8, 15, 16, 17, 100, 1000):
        noise = chance.randbytes(size)
        assert outcome(noise) is None
        assert outcome(sealed(noise)) is None


def refusal(data: bytes) -> str:
    with pytest.raises(ObjectFileError) as error:
        loads(data)
    return error.value.first.message


def test_other_files_are_told_from_object_files():
    assert refusal(b"\x7fELF" + bytes(100)) == (
        "this is not a simtlab object file: it does not begin with the bytes SIMTLAB\\0"
    )


def test_another_version_is_named():
    data = bytearray(dumps(example()))
    data[8] = 7
    assert refusal(bytes(data)) == (
        f"the object file has format 7 and ISA {ISA_VERSION}; this simtlab reads format 1 "
        f"and ISA {ISA_VERSION}"
    )


def test_a_wrong_checksum_is_named():
    data = bytearray(dumps(example()))
    data[-1] ^= 1
    assert refusal(bytes(data)) == "the object file is damaged: its checksum does not match"


def test_bytes_after_the_last_kernel_are_named():
    body = dumps(example())[HEADER:]
    assert refusal(sealed(body + b"\0\0")) == "2 bytes follow the last kernel"


def test_a_count_that_the_file_cannot_hold_is_refused_before_it_is_read():
    assert refusal(sealed(b"\xff\xff\xff\xff")) == (
        "the object file announces 4294967295 items at byte 4 of the body, more than the rest of "
        "it can hold"
    )


def test_source_files_that_no_location_names_are_refused():
    program = replace(example(), files=("a.sasm", "b.sinc", "c.sinc"))
    message = "the source files are not in the order in which the code names them"
    assert refusal(dumps(program)) == message


def test_source_files_in_another_order_are_refused():
    first, second = example().kernels
    places = tuple(replace(p, file=1 - p.file) for p in first.locations)
    program = replace(example(), kernels=(replace(first, locations=places), second))
    message = "the source files are not in the order in which the code names them"
    assert refusal(dumps(program)) == message


@pytest.mark.parametrize(
    "name", ["", 'a"b', "a\nb", "a\u2028b", "/a", "C:\\a", "\\\\a", "a" * 4097]
)
def test_a_file_name_that_is_absolute_or_that_the_source_cannot_quote_is_refused(name):
    program = replace(example(), files=(name, "b.sinc"))
    message = f"{name!r} is not the relative name of a source file"
    assert refusal(dumps(program)) == cut_message(message)


@pytest.mark.parametrize("name", ["", "9k", "k k", "k-1", "k\n", "ä", "k" * 256])
def test_a_name_that_the_source_cannot_write_is_refused(name):
    first, second = example().kernels
    program = replace(example(), kernels=(first, replace(second, name=name)))
    assert refusal(dumps(program)) == f"{name!r} is not the name of a kernel"


def test_locations_for_some_instructions_only_are_refused():
    first, second = example().kernels
    program = replace(example(), kernels=(replace(first, locations=first.locations[:2]), second))
    assert refusal(dumps(program)) == "kernel first has 4 instructions and 2 source locations"


@pytest.mark.parametrize("place", [Location(2, 1, 1), Location(0, 0, 1), Location(0, 1, 0)])
def test_a_location_that_cannot_be_is_refused(place):
    first, second = example().kernels
    places = (place, *first.locations[1:])
    program = replace(example(), kernels=(replace(first, locations=places), second))
    assert refusal(dumps(program)) == (
        "kernel first: a source location has an impossible file, line or column"
    )
