"""What a person calls a thing and what its app calls it: "garage door" is "Garage roller door", "Rex" is pet 4-11."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from camphor.device.conditions import keyword
from camphor.device.records import Record, Records
from camphor.device.text import fold, near, text_of, words

_LONGEST_NAME = 8  # words; a longer field tells about a thing and does not name it


def recorded(records: Records, app: str, parameter: str, text: str) -> str:
    """The value of the field that the parameter is called after (`trip_id`, `device`), of the one record meant.

    In order: a record that has the value already; whose field has all the words; which is named so in another short
    field, where the field is a code; whose field has words close to all of them. Where several records with different
    values fit, or none, the text stays: it may be new, and the app will say.
    """
    wanted = words(text)
    if not wanted:
        return text
    for info in records.lists(app):
        among = [record for _, record in records.rows(app, info.name, keyword(text))]
        # a long list is read by its words only: to read it all takes longer than the call
        rows = among if info.indexed else [record for _, record in records.rows(app, info.name)]
        field = _field(parameter, rows)
        if not field:
            continue
        if any(fold(str(record.get(field))) == fold(text) for record in rows):
            return text
        for fits in (
            [r for r in among if set(wanted) <= set(words(str(r.get(field, ""))))],
            [r for r in among if _is_code(r.get(field)) and any(set(wanted) <= set(words(name)) for name in _names(r))],
            [r for r in rows if _nearly(wanted, words(str(r.get(field, ""))))],
        ):
            meant = {str(record[field]) for record in fits if _said(record.get(field))}
            if meant:
                return meant.pop() if len(meant) == 1 else text
    return text


def _field(parameter: str, rows: Iterable[Record]) -> str:
    """The field of these records that the parameter is called after; `job_id` may be the field `id`."""
    fields = {field for record in rows for field in record}
    return next((name for name in (parameter, parameter.rsplit("_", 1)[-1]) if name in fields), "")


def _said(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip() != ""


def _is_code(value: Any) -> bool:
    return any(character.isdigit() for character in str(value))


def _names(record: Record) -> list[str]:
    return [value for value in map(text_of, record.values()) if len(words(value)) <= _LONGEST_NAME]


def _nearly(wanted: tuple[str, ...], there: tuple[str, ...]) -> bool:
    return bool(there) and all(any(word == other or near(word, other) for other in there) for word in wanted)
