"""Prescriptions: read, compared, put right field by field, and kept only then."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from camphor.health.prescriptions.ocr import MOST_BYTES
from tests.doubles.web import NADIA, health_client, services_on

READ = "/api/health/prescriptions"
SURE = {"text": "Metformin 850 mg 1 tab bd with meals for 30 days"}
DOUBTFUL = {"text": "Amoxicilin 500 mg tds for 7 days"}


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    return health_client(services_on(tmp_path))


def upload(client: TestClient, content: bytes, name: str, **form: str) -> Any:
    return client.post(READ, files={"file": (name, io.BytesIO(content))}, data=form)


def pdf(pages: int) -> bytes:
    import pypdfium2

    document, made = pypdfium2.PdfDocument.new(), io.BytesIO()
    for _ in range(pages):
        document.new_page(200, 200)
    document.save(made)
    document.close()
    return made.getvalue()


def check(client: TestClient, *lines: dict[str, Any], **more: Any) -> Any:
    told = client.post(f"{NADIA}/prescriptions/check", json={"lines": list(lines), **more})
    assert told.status_code == 200, told.text
    return told.json()


def keep(client: TestClient, *lines: dict[str, Any], **more: Any) -> Any:
    return client.post(f"{NADIA}/prescriptions", json={"lines": list(lines), **more})


def test_a_text_is_read_and_each_field_told_with_how_sure_it_is(client: TestClient) -> None:
    lines = upload(client, SURE["text"].encode(), "note.txt").json()["lines"]
    assert lines == [{**SURE, "seen": 1.0, "other": None, "aside": False, "letters": 1.0}]
    told = check(client, *lines)
    fields = {each["name"]: each for each in told["medicines"][0]["fields"]}
    assert (fields["strength"]["value"], fields["strength"]["confidence"]) == ("850 mg", 1.0)
    assert told["medicines"][0]["times"] == ["08:00", "20:00"]
    assert told["ready"] is True
    assert client.get(f"{NADIA}/medicines").json() == []


def test_what_two_readings_of_a_picture_differ_in_is_in_doubt_on_the_page_too(client: TestClient) -> None:
    head = {"text": "Ramipril 2.5mg capsules", "other": "Ramipril 2.5mg capsules"}
    told = check(client, head, {"text": "Take 1 daily for 7 days", "other": "Take 1 daily for 1 days"})
    assert [each["name"] for each in told["medicines"][0]["fields"] if each["value"] is None] == ["duration"]
    aside = {"text": "Qty: 28", "other": "Qty: 28", "aside": True}
    assert check(client, head, {"text": "Take 1 daily", "other": "Take 1 daily"}, aside)["ready"] is True


def test_what_is_in_doubt_is_settled_before_anything_is_kept(client: TestClient) -> None:
    told = check(client, SURE, DOUBTFUL)
    assert told["ready"] is False
    name = told["medicines"][1]["fields"][0]
    assert (name["value"], name["candidates"][0]) == (None, "amoxicillin")
    refused = keep(client, SURE, DOUBTFUL)
    assert refused.status_code == 422
    assert "--set" not in refused.json()["detail"]
    assert client.get(f"{NADIA}/medicines").json() == []
    said = [{"medicine": 2, "field": "name", "value": "amoxicillin"}]
    settled = check(client, SURE, DOUBTFUL, changes=said)
    assert settled["medicines"][1]["fields"][0]["said"] is True
    left = keep(client, SURE, DOUBTFUL, leave=[2])
    assert left.json()["medicines"] == ["Metformin"]


def test_a_change_that_is_none_is_told_and_left_aside(client: TestClient) -> None:
    wrong = [{"medicine": 1, "field": "when", "value": "whenever"}, {"medicine": 9, "field": "when", "value": "daily"}]
    told = check(client, SURE, changes=wrong)
    assert len(told["faults"]) == 2
    assert told["medicines"][0]["times"] == ["08:00", "20:00"]
    assert keep(client, SURE, changes=wrong).status_code == 422


def test_the_same_prescription_kept_twice_is_a_conflict(client: TestClient) -> None:
    assert keep(client, SURE).status_code == 201
    again = keep(client, SURE)
    assert (again.status_code, again.json()["code"]) == (409, "refused")
    assert check(client, SURE)["conflicts"]
    assert len(client.get(f"{NADIA}/medicines").json()) == 1


def test_a_photo_that_is_none_is_refused_by_its_name(client: TestClient) -> None:
    told = upload(client, b"this is no picture", "photo <b>.jpg")
    assert told.status_code == 422
    assert told.json()["detail"].startswith("photo <b>.jpg is no picture")
    assert upload(client, b"", "photo.jpg").status_code == 422


def test_too_large_a_photo_is_refused_before_it_is_read(client: TestClient) -> None:
    told = client.post(READ, content=b"x" * 40_000_000, headers={"content-type": "multipart/form-data; boundary=x"})
    assert (told.status_code, told.json()["code"]) == (413, "too_large")
    assert upload(client, b"\xff\xd8" + b"x" * MOST_BYTES, "photo.jpg").status_code == 422


def test_a_pdf_of_200_pages_asks_which_of_them(client: TestClient) -> None:
    many = pdf(200)
    told = upload(client, many, "scan.pdf")
    assert told.status_code == 422
    assert "200 pages" in told.json()["detail"]
    assert "--pages" not in told.json()["detail"]
    assert upload(client, many, "scan.pdf", pages="201").status_code == 422
    assert upload(client, many, "scan.pdf", pages="two").status_code == 422
    assert upload(client, b"%PDF-1.4 and then nothing", "scan.pdf").status_code == 422


def test_more_lines_than_a_prescription_has_are_refused(client: TestClient) -> None:
    assert keep(client, *[SURE] * 401).status_code == 422
    assert keep(client).status_code == 422
    assert keep(client, {"text": "Dear reader, hello"}).status_code == 422


def test_a_pdf_is_shown_as_pictures_and_a_photo_as_it_is(client: TestClient, tmp_path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "rx.pdf"))
    for _ in range(2):
        canvas.drawString(80, 700, SURE["text"])
        canvas.showPage()
    canvas.save()
    told = upload(client, (tmp_path / "rx.pdf").read_bytes(), "rx.pdf", pages="2").json()
    assert [each["text"] for each in told["lines"]] == [SURE["text"]]
    assert [each[:23] for each in told["pictures"]] == ["data:image/jpeg;base64,"]
    assert upload(client, SURE["text"].encode(), "note.txt").json()["pictures"] == []
