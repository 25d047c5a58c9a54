"""An SOS: who is told of its start, of news and of its end; pressed twice, ended without a start, in a dry run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase
from camphor.device.health.emergencies import SosState
from camphor.device.health.outbox import Channel, Message, MessageState
from camphor.errors import UsageError
from camphor.health.emergency.delivery import Courier, Handed, HandOverOutcome
from camphor.health.emergency.desk import Desk, not_told
from camphor.health.emergency.plan import AMBULANCE, plan, scene_of
from camphor.health.emergency.sos import Emergency, SosReport
from camphor.health.emergency.wording import message_line, start_text
from camphor.health.people import KeptList, PersonEntry, add
from camphor.types import Call
from tests.doubles.emergency import BOTH, NEAR, PHONE, RUI, SMS, Clock, Service, phone

AMBULANCES = PHONE["apps"]["clinic"]["ambulances"]
CONTACTS = PHONE["apps"]["clinic"]["emergency_contacts"]


def emergency(
    device: Device | None = None, channels: frozenset[Channel] = SMS, clock: Clock | None = None
) -> Emergency:
    return Emergency(device or phone(), HealthDatabase(None), clock or Clock(), channels)


def told(report: SosReport) -> dict[str, str]:
    return {message.draft.recipient: message.draft.text for message in report.messages}


def deliver(sos: Emergency, service: Service, clock: Clock) -> None:
    Courier(sos.outbox, service, clock, clock.sleep).send_due()


# who is told


def test_the_nearest_free_ambulance_and_the_contacts_are_told_where_and_when() -> None:
    report = emergency().start()
    assert report.sos
    assert report.sos.ambulance["ambulance_id"] == "NEAR"
    assert [each.draft.address for each in report.messages] == [NEAR, RUI]
    for text in told(report).values():
        assert "Leah Lima" in text
        assert "latitude 53.34, longitude -6.26" in text
        assert "08:45 on 12 March 2026" in text
    assert "Call back: +353855550100" in told(report)["NEAR"]
    assert "EORZ618635" in told(report)["NEAR"]


def test_a_contact_without_a_number_is_told_of_and_skipped() -> None:
    report = emergency().start()
    assert set(told(report)) == {"NEAR", "Rui Lima"}
    assert any("Old Mr Finch has no phone number" in each for each in report.problems)
    assert any("Ana Sousa has no phone number" in each for each in report.problems)


def test_a_contact_without_a_number_is_told_by_e_mail_where_that_is_set_up() -> None:
    report = emergency(channels=BOTH).start()
    assert [each.draft.address for each in report.messages] == [NEAR, RUI, "ana@example.org"]
    assert any("Ana Sousa has no phone number and is told by e-mail" in each for each in report.problems)


def test_without_an_ambulance_the_contacts_are_told() -> None:
    report = emergency(phone(ambulances=[])).start()
    assert set(told(report)) == {"Rui Lima"}
    assert any("this phone knows the number of none" in each for each in report.problems)


def test_ambulances_that_are_on_another_call_are_left_alone() -> None:
    busy = [{**each, "assigned": "OTHER"} for each in AMBULANCES]
    report = emergency(phone(ambulances=busy)).start()
    assert set(told(report)) == {"Rui Lima"}
    assert any("on another call" in each for each in report.problems)


@pytest.mark.parametrize("location", [{}, {"city": "Dublin"}, {"latitude": 53.34}])
def test_without_a_location_somebody_is_told_all_the_same(location: dict[str, object]) -> None:
    report = emergency(phone(location=location)).start()
    assert set(told(report)) == {"FAR", "Rui Lima"}
    assert any("location is not known" in each for each in report.problems)
    assert all("ocation not known" in text for text in told(report).values())


@pytest.mark.parametrize("latitude", [400, float("nan"), float("inf"), "53", None, True])
def test_a_place_that_is_none_counts_as_unknown(latitude: object) -> None:
    scene = replace(scene_of(phone()), location={"latitude": latitude, "longitude": -6.26})
    planned = plan(scene, SMS)
    assert any("location is not known" in each for each in planned.problems)
    assert "Location not known." in start_text(scene, AMBULANCE)


def test_a_phone_without_the_clinic_tells_nobody_and_says_so() -> None:
    data = {key: value for key, value in PHONE.items() if key != "apps"}
    report = emergency(Device.create(None, {**data, "apps": {}})).start()
    assert report.sos
    assert not report.messages
    assert len(report.problems) == 2


def test_a_contact_listed_twice_gets_one_message() -> None:
    twice = [CONTACTS[0], {**CONTACTS[0], "name": "Rui at work", "phone_number": "+353 85 5550101"}]
    report = emergency(phone(emergency_contacts=twice)).start()
    assert [each.draft.address for each in report.messages] == [NEAR, RUI]


def test_without_a_delivery_messages_are_kept() -> None:
    report = emergency(channels=frozenset()).start()
    assert {each.state for each in report.messages} == {MessageState.KEPT}


def test_a_way_that_is_not_set_up_keeps_only_its_messages() -> None:
    report = emergency(channels=frozenset([Channel.EMAIL])).start()
    states = {each.draft.recipient: (each.draft.channel, each.state) for each in report.messages}
    assert states == {
        "NEAR": (Channel.SMS, MessageState.KEPT),
        "Rui Lima": (Channel.EMAIL, MessageState.WAITING),
        "Ana Sousa": (Channel.EMAIL, MessageState.WAITING),
    }


def test_the_phone_knows_the_ambulance_that_was_called_until_the_end() -> None:
    device = phone()
    sos = emergency(device)
    sos.start()
    look_up = Call("get_assigned_ambulance", {"user_id": "EORZ618635"})
    assert device.execute(look_up).records == ({"ambulance_id": "NEAR", "phone_no": "+353 1 555 0902"},)
    sos.end()
    assert device.execute(look_up).records == ()


# pressed twice, dry


def test_pressed_twice_begins_one_and_writes_nothing_new() -> None:
    sos = emergency()
    first, second = sos.start(), sos.start()
    assert first.sos == second.sos
    assert first.messages == second.messages == sos.outbox.messages()
    assert "active since 2026-03-12 08:45:00" in second.problems[0]


def test_two_programs_that_press_at_once_begin_one(tmp_path: Path) -> None:
    path = tmp_path / "x.health"
    with HealthDatabase(path) as one, HealthDatabase(path) as other:
        first = Emergency(phone(), one, Clock(), SMS).start()
        second = Emergency(phone(), other, Clock(), SMS).start()
    assert first.sos == second.sos
    assert first.messages == second.messages


def test_a_dry_run_writes_nothing_and_shows_what_would_be_sent() -> None:
    sos = emergency()
    dry = sos.start(dry_run=True)
    assert sos.status() == SosReport(None)
    assert not sos.outbox.messages()
    assert [(each.recipient, each.text) for each in dry.drafts] == list(told(sos.start()).items())


def test_dry_runs_of_news_and_end_write_nothing() -> None:
    sos = emergency()
    sos.start()
    before = sos.status()
    assert [each.recipient for each in sos.update("at the door", dry_run=True).drafts] == ["NEAR", "Rui Lima"]
    assert not sos.end(dry_run=True).drafts  # nothing has gone out, so there is nobody to tell
    assert sos.status() == before


# news


def test_news_go_to_all_who_were_told() -> None:
    sos = emergency()
    sos.start()
    report = sos.update("I am in the\n back garden")
    assert set(told(report)) == {"NEAR", "Rui Lima"}
    assert all("I am in the back garden" in text and "latitude" not in text for text in told(report).values())


def test_a_new_place_is_told_and_the_ambulance_stays() -> None:
    database, clock = HealthDatabase(None), Clock()
    Emergency(phone(), database, clock, SMS).start()
    moved = phone(location={"latitude": 53.0, "longitude": -6.0})
    report = Emergency(moved, database, clock, SMS).update()
    assert report.sos
    assert report.sos.ambulance["ambulance_id"] == "NEAR"
    assert all("latitude 53.0, longitude -6.0" in text for text in told(report).values())


def test_no_news_are_no_message() -> None:
    sos = emergency()
    sos.start()
    report = sos.update("  ")
    assert not report.messages
    assert "Nothing changed" in report.problems[0]


def test_who_is_new_hears_of_the_whole() -> None:
    database, clock = HealthDatabase(None), Clock()
    Emergency(phone(ambulances=[]), database, clock, SMS).start()
    report = Emergency(phone(), database, clock, SMS).update()
    assert list(told(report)) == ["NEAR"]
    assert "Ambulance needed" in told(report)["NEAR"]


def test_news_without_a_start() -> None:
    report = emergency().update("hello")
    assert report.sos is None
    assert "No SOS is active" in report.problems[0]


# the end


def test_the_end_is_told_to_those_who_were_told_of_the_start() -> None:
    clock, service = Clock(), Service()
    sos = emergency(clock=clock)
    sos.start()
    deliver(sos, service, clock)
    report = sos.end()
    deliver(sos, service, clock)
    assert report.sos
    assert report.sos.state is SosState.ENDED
    assert "no longer needed" in told(report)["NEAR"]
    assert "No more help is needed" in told(report)["Rui Lima"]
    assert sorted(service.told) == ["NEAR", "NEAR", "Rui Lima", "Rui Lima"]


def test_what_has_not_gone_out_is_taken_back_and_its_reader_left_alone() -> None:
    clock = Clock()
    service = Service(HandOverOutcome.REFUSED, HandOverOutcome.REFUSED)
    sos = emergency(clock=clock)
    sos.start()
    deliver(sos, service, clock)
    report = sos.end()
    assert (report.withdrawn, report.messages) == (2, ())
    clock.now += 3600
    deliver(sos, service, clock)
    assert len(service.given) == 2


def test_a_start_that_is_refused_after_the_end_is_not_tried_again() -> None:
    clock = Clock()
    sos = emergency(clock=clock)
    waiting = sos.start().messages
    assert all(sos.outbox.claim(each.id) for each in waiting)
    assert len(sos.end().messages) == 2  # they may have gone out
    for each in waiting:
        sos.outbox.mark(each.id, MessageState.WAITING, "refused", clock() + 2)
    assert {each.state for each in sos.outbox.messages()[:2]} == {MessageState.WITHDRAWN}


def test_an_end_without_a_start() -> None:
    sos = emergency()
    report = sos.end()
    assert report == SosReport(None, problems=("No SOS is active: there is nothing to end",))
    sos.start()
    sos.end()
    assert sos.end() == report


def test_after_an_end_another_begins() -> None:
    sos = emergency()
    first, _, second = sos.start(), sos.end(), sos.start()
    assert first.sos
    assert second.sos
    assert first.sos.id != second.sos.id
    assert len(second.messages) == 2


def test_messages_that_were_only_kept_are_sent_as_the_first_news_once_a_delivery_is_set_up() -> None:
    database, clock, device = HealthDatabase(None), Clock(), phone()
    Emergency(device, database, clock).start()
    sos = Emergency(device, database, clock, SMS)
    report = sos.update()
    assert all("SOS at 08:45" in text or text.startswith("SOS: Leah") for text in told(report).values())
    assert {each.state for each in report.messages} == {MessageState.WAITING}


def test_pressed_again_those_whose_message_was_only_kept_are_told() -> None:
    database, clock, device = HealthDatabase(None), Clock(), phone()
    Emergency(device, database, clock).start()
    sos = Emergency(device, database, clock, SMS)
    report = sos.start()
    states = [(each.draft.recipient, each.state) for each in report.messages]
    assert states[:2] == [("NEAR", MessageState.WITHDRAWN), ("Rui Lima", MessageState.WITHDRAWN)]
    assert states[2:] == [("NEAR", MessageState.WAITING), ("Rui Lima", MessageState.WAITING)]
    assert all("SOS" in each.draft.text and "latitude 53.34" in each.draft.text for each in report.messages)
    service = Service()
    deliver(sos, service, clock)
    assert len(service.given) == 2
    again = sos.start()
    assert len(again.messages) == 4  # who was told is told nothing twice
    assert not_told(again.messages) == []


def test_pressed_again_somebody_who_was_added_is_told() -> None:
    database, clock, device = HealthDatabase(None), Clock(), phone(ambulances=[], emergency_contacts=[])
    sos = Emergency(device, database, clock, SMS)
    assert sos.start().messages == ()
    add(device, KeptList.CONTACT, PersonEntry("Tom Reed", "+44 7700 900124"))
    assert set(told(sos.start(dry_run=True))) == set()
    assert [each.recipient for each in sos.start(dry_run=True).drafts] == ["Tom Reed"]
    report = sos.start()
    assert set(told(report)) == {"Tom Reed"}
    assert "no second one is begun" in report.problems[0]


def test_pressed_again_who_was_given_up_is_told_anew() -> None:
    database, clock = HealthDatabase(None), Clock()
    sos = Emergency(phone(ambulances=[]), database, clock, SMS)
    sos.start()
    clock.sleep(2 * 86_400)
    sos.outbox.give_up(86_400)
    report = sos.start()
    assert [each.state for each in report.messages] == [MessageState.WITHDRAWN, MessageState.WAITING]


# other ways


@pytest.mark.parametrize("outcome", [HandOverOutcome.REFUSED, HandOverOutcome.UNCLEAR])
def test_who_cannot_be_told_by_text_message_is_told_by_e_mail_once(outcome: HandOverOutcome) -> None:
    service = _NoTexts(outcome)
    desk = Desk.made(phone(), HealthDatabase(None), service)
    report = desk.emergency.start()
    desk.courier.send_all(0)
    told = desk.now(report).messages
    assert not_told(told) == ["NEAR"]  # an ambulance has a number alone
    by_mail = [each.draft.recipient for each in service.given if each.draft.channel is Channel.EMAIL]
    assert sorted(by_mail) == ["Ana Sousa", "Rui Lima"]
    lines = [message_line(each) for each in told if each.draft.recipient == "Rui Lima"]
    assert "Rui Lima, by e-mail to rui@example.org: sent" in lines
    assert any(line.startswith(f"Rui Lima, by text message to {RUI}: ") and "said so" in line for line in lines)
    desk.emergency.end()
    desk.courier.send_all(0)
    last = [each.draft for each in service.given if each.draft.channel is Channel.EMAIL][2:]
    assert [(each.recipient, "is over" in each.text) for each in sorted(last, key=lambda each: each.recipient)] == [
        ("Ana Sousa", True),
        ("Rui Lima", True),
    ]


class _NoTexts(Service):
    def __init__(self, outcome: HandOverOutcome) -> None:
        super().__init__(channels=BOTH)
        self.outcome = outcome

    def hand_over(self, message: Message) -> Handed:
        handed = super().hand_over(message)
        return Handed(self.outcome, "the service said so") if message.draft.channel is Channel.SMS else handed


def test_after_the_end_nothing_goes_out_by_another_way() -> None:
    desk = Desk.made(phone(), HealthDatabase(None), Service(channels=BOTH))
    [first, *_] = desk.emergency.start().messages
    desk.emergency.end()
    assert not desk.emergency.outbox.write_beside(first.id, replace(first.draft, key="other", address="a@b.example"))


@pytest.mark.parametrize("number", ["112", "999", "9 1 1"])
def test_an_emergency_number_is_no_contact_but_may_be_a_number_to_call(number: str) -> None:
    device = phone()
    with pytest.raises(UsageError, match="is an emergency number, where no messages are read"):
        add(device, KeptList.CONTACT, PersonEntry("Help", number))
    assert add(device, KeptList.NUMBER, PersonEntry("Help", number))["phone_number"] == number
    assert add(device, KeptList.CONTACT, PersonEntry("Rosa", "+353 85 555 0999"))
