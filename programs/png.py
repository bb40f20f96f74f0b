"""PNG files of pictures, without a plotting library."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(image: np.ndarray) -> bytes:
    """Return the bytes of a PNG file of a uint8 image, grey (H, W) or in colours (H, W, 3)."""
    height, width = image.shape[:2]
    colour_type = 0 if image.ndim == 2 else 2
    rows = np.ascontiguousarray(image, np.uint8).reshape(height, -1)
    # Every row begins with the number of its filter; 0 is none.
    filtered = np.pad(rows, ((0, 0), (1, 0)))
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    return (
        _SIGNATURE
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 9))
        + _chunk(b"IEND", b"")
    )


def data_url(image: np.ndarray) -> str:
    """Return the PNG file of an image as the address of an HTML image."""
    return f"data:image/png;base64,{b64encode(png(image)).decode()}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
