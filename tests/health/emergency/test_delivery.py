"""Delivery through apprise to a real server on this machine; settings, right and wrong."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from camphor.device.health.database import HealthDatabase
from camphor.device.health.outbox import Channel, Message, MessageDraft, MessageState, Outbox
from camphor.errors import UsageError
from camphor.health.emergency.delivery import (
    AppriseDelivery,
    BrokenDelivery,
    Courier,
    HandOverOutcome,
    NoDelivery,
    delivery_of,
)
from camphor.health.emergency.settings import (
    ReminderWishes,
    open_to_others,
    read_settings,
    remove,
    set_place,
    set_way,
    set_wishes,
)
from tests.doubles.emergency import BOTH, Clock, Server, serving


def message(channel: Channel = Channel.SMS, address: str = "+353855550101") -> Message:
    draft = MessageDraft(
        "k", "sos-1", "contact", "Rui", channel, address, "SOS: {Leah} called\nat 08:45 & needs <help>"
    )
    return Message(1, draft, MessageState.SENDING, 1, 0, 0, 0, "")


def delivery(server: Server, options: str = "") -> AppriseDelivery:
    return AppriseDelivery({Channel.SMS: server.url + options})


def test_the_service_gets_address_and_text_as_they_are() -> None:
    with serving() as server:
        handed = delivery(server).hand_over(message())
        assert handed.outcome is HandOverOutcome.TAKEN
        assert server.posts == [("/+353855550101", message().draft.text)]


def test_an_address_cannot_change_the_url() -> None:
    with serving() as server:
        delivery(server).hand_over(message(address="+1/../x?-y=z&method=PUT#"))
        ((path, _),) = server.posts
        assert "?" not in path
        assert path.count("/") == 1


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (503, HandOverOutcome.REFUSED),
        (500, HandOverOutcome.REFUSED),
        (401, HandOverOutcome.REFUSED),
        (502, HandOverOutcome.UNCLEAR),
        (504, HandOverOutcome.UNCLEAR),
    ],
)
def test_what_an_answer_means(status: int, outcome: HandOverOutcome) -> None:
    with serving(status) as server:
        handed = delivery(server).hand_over(message())
        assert handed.outcome is outcome
        assert str(status) in handed.problem
        assert len(server.posts) == 1


def test_a_service_that_is_not_there_certainly_has_nothing() -> None:
    with serving() as server:
        url = server.url
    handed = AppriseDelivery({Channel.SMS: url}).hand_over(message())
    assert handed.outcome is HandOverOutcome.REFUSED
    assert "cannot be reached" in handed.problem


def test_a_service_that_takes_the_message_and_says_nothing_may_have_it() -> None:
    with serving(0) as server:
        handed = delivery(server, "?rto=0.3").hand_over(message())
        assert handed.outcome is HandOverOutcome.UNCLEAR
        assert len(server.posts) == 1


def test_a_redirect_is_not_followed() -> None:
    with serving(307) as server:
        assert delivery(server).hand_over(message()).outcome is HandOverOutcome.REFUSED
        assert len(server.posts) == 1


def test_a_service_that_fails_for_a_while_gets_each_message_once() -> None:
    clock = Clock()
    box = Outbox(HealthDatabase(None), clock)
    with serving(503, 503, 500, 503, 429) as server:
        box.write(
            MessageDraft(name, "sos-1", "contact", name, Channel.SMS, f"+1555000{name}", f"for {name}")
            for name in "123"
        )
        assert Courier(box, delivery(server), clock, clock.sleep).send_all(600)
        assert {each.state for each in box.messages()} == {MessageState.SENT}
        assert len(server.posts) == 5 + 3
        assert {path for path, _ in server.posts} == {"/+15550001", "/+15550002", "/+15550003"}


def test_what_services_log_reaches_nobody(caplog: pytest.LogCaptureFixture) -> None:
    with serving(500, 200) as server, caplog.at_level(logging.DEBUG):
        handed = delivery(server).hand_over(message())
        delivery(server).hand_over(message())
    assert not caplog.records
    assert "353855550101" not in handed.problem


# settings


def test_no_settings_are_no_delivery(tmp_path: Path) -> None:
    assert isinstance(delivery_of(tmp_path / "delivery.toml"), NoDelivery)


def test_the_example_of_the_page_is_understood(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "emergency.md").read_text(encoding="utf-8")
    path = tmp_path / "delivery.toml"
    path.write_text(page.partition("```toml\n")[2].partition("```")[0])
    found = read_settings(path)
    assert set(found.ways) == BOTH
    assert set(found.places) == {"watch"}
    assert delivery_of(path).channels == BOTH


def test_commands_change_what_they_are_told_and_leave_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "home" / "delivery.toml"
    assert read_settings(path) == read_settings(tmp_path / "none")
    set_way(path, Channel.SMS, "json://127.0.0.1/{to}", "2026-03-12 08:45")
    path.write_text("# mine\n" + path.read_text())
    set_place(path, "watch", "ntfy://topic")
    set_wishes(path, ReminderWishes(desktop=False, nag=False, every=5, report=None))
    found = read_settings(path)
    assert path.read_text().startswith("# mine")
    assert not open_to_others(path)
    assert found.ways[Channel.SMS].tested == "2026-03-12 08:45"
    assert dict(found.places) == {"watch": "ntfy://topic"}
    assert found.wishes == ReminderWishes(False, False, 5, None)
    assert "topic" not in repr(found)
    remove(path, "watch")
    remove(path, "sms")
    assert not read_settings(path).places
    assert not read_settings(path).ways
    with pytest.raises(UsageError, match="Nothing is set up"):
        remove(path, "watch")


def test_another_url_is_one_that_was_not_tested(tmp_path: Path) -> None:
    path = tmp_path / "delivery.toml"
    set_way(path, Channel.SMS, "json://127.0.0.1/{to}", "2026-03-12 08:45")
    path.write_text(path.read_text().replace("json://127", "jsons://127"))
    assert read_settings(path).ways[Channel.SMS].tested == ""


def test_a_broken_file_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "delivery.toml"
    path.write_text("[sms")
    with pytest.raises(UsageError, match="not TOML"):
        set_place(path, "watch", "ntfy://topic")
    assert path.read_text() == "[sms"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[sms]\nurl = 'json://host/secret'", "needs a url"),
        ("[sms]\nurl = 3", "needs a url"),
        ("sms = 'json://secret/{to}'", "sms is no section"),
        ("[places.watch]\nurl = 'secret'", r"\[places.watch\] needs a url"),
        ("[reminders]\nevery = 0", "from 1 to 720"),
        ("[pigeon]\nurl = 'json://secret/{to}'", r"no section \[pigeon\]"),
        ("[sms\nurl = 'json://secret/{to}'", "not TOML"),
    ],
)
def test_broken_settings_are_told_without_their_secrets(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "delivery.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=told) as caught:
        read_settings(path)
    assert "secret" not in str(caught.value)


def test_broken_settings_stop_no_emergency_and_messages_wait_until_they_are_mended(tmp_path: Path) -> None:
    path = tmp_path / "delivery.toml"
    path.write_text("[sms")
    broken = delivery_of(path)
    assert isinstance(broken, BrokenDelivery)
    handed = broken.hand_over(message())
    assert handed.outcome is HandOverOutcome.REFUSED
    assert "not TOML" in handed.problem


def test_a_url_that_apprise_does_not_know_is_told_beforehand() -> None:
    unknown = AppriseDelivery({Channel.SMS: "carrierpigeon://{to}"})
    with pytest.raises(UsageError, match="apprise does not understand"):
        unknown.prepare()
    handed = unknown.hand_over(message())
    assert handed.outcome is HandOverOutcome.REFUSED


def test_known_urls_are_prepared_without_a_connection() -> None:
    AppriseDelivery(
        {
            Channel.SMS: f"twilio://AC{'a' * 32}:{'b' * 32}@15550100100/{{to}}",
            Channel.EMAIL: "mailtos://user:word@example.org?to={to}",
        }
    ).prepare()


def test_what_is_shown_of_a_delivery_has_no_secret() -> None:
    assert "word" not in repr(AppriseDelivery({Channel.EMAIL: "mailtos://user:word@example.org?to={to}"}))
