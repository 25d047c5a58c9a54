"""A folder of notes as plain text or Markdown, Obsidian's vaults among them: a note a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, without_empty

_ENDS = frozenset((".md", ".markdown", ".txt", ".text"))
_LONGEST = 100_000  # characters of one note
_LARGEST = 4 << 20  # bytes of a file: a larger one is a log or a data file
_FRONT = re.compile(r"\A---[ \t]*\n(?P<front>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:[ \t]*(?P<title>.+?)[ \t]*$", re.MULTILINE)
_TAGS = re.compile(r"^tags:[ \t]*\[?(?P<tags>[^\n\]]+)\]?", re.MULTILINE)
_HEADING = re.compile(r"\A\s*#[ \t]+(?P<title>[^\n]+)")


def _files(folder: Path) -> Iterator[Path]:
    """Text files below a folder, in order; what is hidden (.obsidian, .git) is left out, links are not followed."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(here, name)
            if path.suffix.lower() in _ENDS and not name.startswith(".") and not path.is_symlink():
                yield path


def _looks(path: Path) -> bool:
    return path.is_dir() and next(_files(path), None) is not None


def _read(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    for file in _files(path):
        where = file.relative_to(path)
        try:
            about = file.stat()
            if about.st_size > _LARGEST:
                unread.add(str(where), f"larger than {_LARGEST >> 20} MiB")
                continue
            text = file.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            unread.add(str(where), "not UTF-8 text")
            continue
        except OSError as error:
            unread.add(str(where), error.strerror or "cannot be read")
            continue
        title, content, tags = _parts(text.replace("\x00", ""), file.stem)
        modified = situation.local(datetime.fromtimestamp(about.st_mtime, UTC))
        folder = "" if where.parent == Path() else where.parent.as_posix()
        record = {"title": title, "content": content, "modified": modified, "folder": folder, "tags": tags}
        if content or title:
            yield Brought("notes", "notes", where.as_posix(), without_empty(record))


def _parts(text: str, name: str) -> tuple[str, str, list[str]]:
    """Title, content and tags: the title that the front matter or a first heading gives, or else the file's name."""
    front = _FRONT.match(text)
    body = text[front.end() :] if front else text
    told = front["front"] if front else ""
    given, tags = _TITLE.search(told), _TAGS.search(told)
    heading = _HEADING.match(body)
    title = given["title"].strip("\"'") if given else heading["title"].strip() if heading else name
    if heading and heading["title"].strip() == title:
        body = body[heading.end() :]
    named = [each.strip(" \"'#-") for each in tags["tags"].split(",")] if tags else []
    return title[:300], body.strip()[:_LONGEST], [each for each in named if each]


NOTES = SimpleImporter("notes", "a folder of notes (.md, .txt; Obsidian's too)", _looks, _read)
