"""Small FIT files, written byte by byte as the protocol has them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from fitdecode.utils import compute_crc

UTC_2026 = 1_773_302_400 - 631_065_600  # 2026-03-12 08:00 UTC in FIT's seconds
_SIZES = {"B": (1, 0x02), "H": (2, 0x84), "I": (4, 0x86), "e": (1, 0x00)}
Message = tuple[int, Sequence[tuple[int, str, int]]]
"""The message's number, and the number, form and value of each field."""


def fit_file(messages: Sequence[Message]) -> bytes:
    body = b""
    for number, fields in messages:
        body += struct.pack("<BBBHB", 0x40, 0, 0, number, len(fields))
        body += b"".join(struct.pack("<BBB", field, *_SIZES[form]) for field, form, _ in fields)
        body += b"\x00" + b"".join(struct.pack("<" + form.replace("e", "B"), value) for _, form, value in fields)
    head = struct.pack("<BBHI4s", 14, 0x20, 2140, len(body), b".FIT")
    head += struct.pack("<H", compute_crc(head))
    return head + body + struct.pack("<H", compute_crc(head + body))


def _file_id(kind: int) -> Message:
    return 0, [(0, "e", kind), (1, "H", 1), (4, "I", UTC_2026)]


def activity(path: Path, heart: Sequence[int]) -> Path:
    records = [(20, [(253, "I", UTC_2026 + row), (3, "B", value)]) for row, value in enumerate(heart)]
    path.write_bytes(fit_file([_file_id(4), *records]))
    return path


def monitoring(path: Path) -> Path:
    path.write_bytes(
        fit_file(
            [
                _file_id(32),
                (269, [(253, "I", UTC_2026), (0, "B", 96)]),
                (55, [(253, "I", UTC_2026 + 60), (27, "B", 58)]),
                (55, [(26, "H", (UTC_2026 + 120) & 0xFFFF), (27, "B", 61)]),
                (275, [(253, "I", UTC_2026 + 600), (0, "e", 3)]),
                (275, [(253, "I", UTC_2026 + 600 + 2700), (0, "e", 2)]),
            ]
        )
    )
    return path


def settings_file(path: Path) -> Path:
    path.write_bytes(fit_file([_file_id(2)]))
    return path


def garbage_after_header(path: Path) -> Path:
    noise = bytes((number * 37 + 11) % 256 for number in range(400))
    path.write_bytes(struct.pack("<BBHI4sH", 14, 0x20, 2140, len(noise), b".FIT", 0) + noise)
    return path
