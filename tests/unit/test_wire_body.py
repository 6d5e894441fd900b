"""A body that comes packed is unpacked whole, whatever its size."""

import zlib

import pytest

from actors.parse.wire_body import unpacked

WINDOWS = {"gzip": 31, "deflate": 15, "deflate without its head": -15}


@pytest.mark.parametrize("coding", WINDOWS)
@pytest.mark.parametrize("size", [1, 65_535, 65_536, 65_537, 65_794, 66_050, 131_072, 200_003])
def test_the_end_of_a_body_is_not_lost(coding, size):
    packer = zlib.compressobj(9, zlib.DEFLATED, WINDOWS[coding])
    packed = packer.compress(b"a" * size) + packer.flush()

    pieces = list(unpacked([packed], coding.partition(" ")[0], 10**7))

    assert b"".join(pieces) == b"a" * size
    assert max(map(len, pieces)) <= 65_536
