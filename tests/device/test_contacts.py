from __future__ import annotations

from camphor.device.device import Device
from camphor.types import Call


def test_a_word_for_a_relative_finds_the_contact_who_is_one() -> None:
    people = [{"person_id": "1", "name": "Ana Sol", "relationship": "Mother"}, {"person_id": "2", "name": "Rui Paz"}]
    data = {
        "format": "camphor.device/1",
        "id": "x",
        "owner": "Bea Sol",
        "now": "2026-03-12T08:45:00",
        "timezone": "Europe/Lisbon",
        "apps": {"contacts": {"people": people}},
    }
    with Device.create(None, data) as device:
        found = device.execute(Call("get_contacts_information", {"keyword": "mum"})).records
        nobody = device.execute(Call("get_contacts_information", {"keyword": "zebra"})).records
    assert [record["name"] for record in found] == ["Ana Sol"]
    assert nobody == ()
