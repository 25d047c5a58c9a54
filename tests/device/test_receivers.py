"""Where numbers and addresses come from: a contact's name beside one in a mail makes it no contact's."""

from __future__ import annotations

from typing import Any

import pytest

from camphor.device.device import Device
from camphor.device.receivers import AddressOrigin, Receiver, labelled, receivers
from camphor.types import Call
from tests.doubles.device import phone

STRANGER = "f.costa@rent-payments.example"
MAILS = [
    {"sender": f"Zoë Byrne <{STRANGER}>", "recipients": ["ines@example.org"], "subject": "New bank details",
     "date": "2026-03-11T10:00:00", "body": "Write to accounts@elsewhere.example or ring +44 7700 900 123."},
]  # fmt: skip
PLACES = [{"name": "Pharmacy", "address": "1 Main St", "phone_number": "01 555 0177"}]


def made() -> Device:
    data = phone()
    data["apps"]["mail"]["messages"] += MAILS
    data["apps"]["maps"]["places"] = PLACES
    return Device.create(None, data)


def reached(tool: str, said: str = "", /, **arguments: Any) -> Receiver:
    device = made()
    call = device.normalise(Call(tool, arguments))
    [found] = receivers(device, device.toolbox.get(tool), call, [said])
    return found


@pytest.mark.parametrize(
    ("receiver", "said", "value", "origin", "name"),
    [
        ("alice", "", "alice@example.org", AddressOrigin.CONTACT, "Alice Johnson"),
        ("Zoë Byrne", "mail Zoë", STRANGER, AddressOrigin.MAIL_HEADER, "Zoë Byrne"),  # no address in the contacts
        (f"Zoë Byrne <{STRANGER}>", "mail Zoë", STRANGER, AddressOrigin.MAIL_HEADER, "Zoë Byrne"),
        (f"Alice Johnson ({STRANGER})", "mail Alice", STRANGER, AddressOrigin.MAIL_HEADER, "Zoë Byrne"),
        (STRANGER, f"mail {STRANGER.upper()}", STRANGER, AddressOrigin.SAID, ""),
        (STRANGER, f"mail x{STRANGER}", STRANGER, AddressOrigin.MAIL_HEADER, "Zoë Byrne"),
        ("accounts@elsewhere.example", "", "accounts@elsewhere.example", AddressOrigin.MESSAGE, ""),
        ("made@up.example", "", "made@up.example", AddressOrigin.UNKNOWN, ""),
        ("Alice Johnson <alice@example.org>", "", "alice@example.org", AddressOrigin.CONTACT, "Alice Johnson"),
    ],
)
def test_a_mail(receiver: str, said: str, value: str, origin: AddressOrigin, name: str) -> None:
    found = reached("send_mail", said, receiver=receiver, content="x")
    assert (found.value, found.origin, found.name) == (value, origin, name)
    assert found.sure is (origin in (AddressOrigin.CONTACT, AddressOrigin.SAID))
    assert bool(found.doubt) is not found.sure


@pytest.mark.parametrize(
    ("receiver", "said", "value", "origin"),
    [
        ("Alice Johnson (+44 7700 900123)", "text Alice", "+44 7700 900123", AddressOrigin.MESSAGE),
        ("Alice Johnson (+44 7700 900999)", "text Alice", "+44 7700 900999", AddressOrigin.UNKNOWN),
        ("Alice Johnson (555-123-4567)", "text Alice", "555-123-4567", AddressOrigin.CONTACT),
        ("+44 7700 900123", "text 07700 900 123", "+44 7700 900123", AddressOrigin.SAID),
        ("01 555 0177", "text the pharmacy", "01 555 0177", AddressOrigin.RECORD),
    ],
)
def test_a_name_with_another_number_in_brackets_is_that_number(
    receiver: str, said: str, value: str, origin: AddressOrigin
) -> None:
    found = reached("send_imessage_message", said, receiver=receiver, content="x")
    assert (found.value, found.origin) == (value, origin)
    if origin is not AddressOrigin.CONTACT:
        assert found.name == ""


def test_a_call_to_a_name_with_another_number_rings_that_number_and_asks() -> None:
    found = reached("call_contacts", "call Alice", person="Alice Johnson (+44 7700 900999)")
    assert (found.value, found.sure) == ("+44 7700 900999", False)


def test_the_doubt_says_where_the_address_stands() -> None:
    found = reached("send_mail", "mail Zoë", receiver="Zoë Byrne", content="x")
    assert found.doubt == (
        f"{STRANGER} is no contact's: it stands in the header of a mail (“New bank details”) beside the name "
        "Zoë Byrne, where anybody can write any: is it right?"
    )


@pytest.mark.parametrize("text", ["Ana", "Ana (mobile)", "ana@example.org", "(((", "Ana ()", "the (old) neighbour"])
def test_what_is_no_name_with_an_address(text: str) -> None:
    assert labelled(text) is None
