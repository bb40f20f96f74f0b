from dataclasses import replace

import pytest

from simtlab.asm.assemble import assemble
from simtlab.asm.load import load
from simtlab.isa import ObjectFileError, dumps
from simtlab.isa.encoding import encode

SOURCE = """
kernel k() {
    cbr  $c0, @else
    nop
    br   @join
@else:
    nop
@join:
    ret
}
"""


def test_an_object_file_is_loaded_from_bytes_and_from_a_path(tmp_path):
    program = assemble(SOURCE)
    path = tmp_path / "k.sbc"
    path.write_bytes(dumps(program))
    assert load(dumps(program)) == load(path) == load(str(path)) == program


def test_a_file_that_cannot_be_read_is_an_error_of_the_users(tmp_path):
    with pytest.raises(ObjectFileError) as error:
        load(tmp_path / "none.sbc")
    assert error.value.first.message == (
        f"cannot read {tmp_path / 'none.sbc'}: no such file or directory"
    )


def test_a_join_that_is_no_post_dominator_is_refused_with_its_place():
    program = assemble(SOURCE)
    kernel = program.kernels[0]
    wrong = encode(replace(kernel.instructions[0], join=1), 0)
    kernel = replace(kernel, words=(wrong, *kernel.words[1:]))
    with pytest.raises(ObjectFileError) as error:
        load(dumps(replace(program, kernels=(kernel,))))
    assert str(error.value) == (
        "error[SIM230]: kernel k, word 0 (cbr): its re-convergence point 0x08 is not a "
        "post-dominator: a path avoids it: cbr at 0x00 is taken, then ret at 0x20 ends the "
        "work-item\n --> <text>:3:5"
    )
