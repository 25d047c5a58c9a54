"""The outbox: written once, claimed once, in order, settled by a person; back-off, clocks that jump, kill -9."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from camphor.device.health.database import HealthDatabase
from camphor.device.health.outbox import LEASE, Channel, Message, MessageDraft, MessageState, Outbox
from camphor.errors import UsageError
from camphor.health.emergency.delivery import (
    LONGEST_PAUSE,
    MOST_ATTEMPTS,
    OLDEST,
    Courier,
    Handed,
    HandOverOutcome,
    NoDelivery,
    pause_after,
)
from tests.doubles.emergency import BOTH, Clock, Service


def draft(key: str, address: str = "+1555", thread: str = "sos-1") -> MessageDraft:
    return MessageDraft(key, thread, "contact", key, Channel.SMS, address, f"text of {key}")


def outbox(*keys: str) -> tuple[Outbox, Clock]:
    """Of messages that go to an address each."""
    clock = Clock()
    made = Outbox(HealthDatabase(None), clock)
    made.write(draft(key, f"+1555{number}") for number, key in enumerate(keys))
    return made, clock


def states(box: Outbox) -> list[str]:
    return [message.state.value for message in box.messages()]


# writing and claiming


def test_a_key_is_written_once() -> None:
    box, _ = outbox("a")
    (again,) = box.write([MessageDraft("a", "sos-9", "x", "Somebody", Channel.EMAIL, "b@c", "other")])
    assert again.draft.text == "text of a"
    assert len(box.messages()) == 1


def test_a_message_is_claimed_once() -> None:
    box, _ = outbox("a")
    first = box.claim(1)
    assert first
    assert (first.state, first.attempts) == (MessageState.SENDING, 1)
    assert box.claim(1) is None


def test_two_couriers_side_by_side_hand_over_each_message_once(tmp_path: Path) -> None:
    clock, service = Clock(), Service()
    boxes = [Outbox(HealthDatabase(tmp_path / "x.health"), clock) for _ in range(4)]
    boxes[0].write(draft(str(number), f"+1555{number}") for number in range(25))
    threads = [threading.Thread(target=Courier(box, service, clock).send_due) for box in boxes]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(service.told, key=int) == [str(number) for number in range(25)]
    assert set(states(boxes[0])) == {"sent"}


def test_the_first_messages_of_a_program_side_by_side_are_both_noted() -> None:
    """A name of the program that each thread makes for itself would leave one of them as nobody's."""
    program = """
        import time, uuid
        made = uuid.uuid4
        def slowly(action):
            time.sleep(0.2)
            return action
        uuid.uuid4 = lambda: slowly(made())
        from tests.doubles.emergency import Service
        from tests.health.emergency.test_outbox import Courier, outbox, states
        class Slow(Service):
            def hand_over(self, message):
                return slowly(super().hand_over(message))
        box, clock = outbox("a", "b")
        assert Courier(box, Slow(), clock).send_due() == 2
        print(states(box))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=Path(__file__).parents[3], capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout == "['sent', 'sent']\n", done.stderr


def test_messages_of_a_thread_to_one_address_go_in_order() -> None:
    clock, service = Clock(), Service(HandOverOutcome.REFUSED)
    box = Outbox(HealthDatabase(None), clock)
    box.write([draft("first"), draft("second"), draft("elsewhere", thread="sos-2")])
    courier = Courier(box, service, clock, clock.sleep)
    courier.send_due()
    assert service.told.count("second") == 0
    assert courier.send_all(60)
    own = [name for name in service.told if name != "elsewhere"]
    assert own[-2:] == ["first", "second"]


# retries


def test_a_service_that_fails_for_a_while_gets_the_message_once_it_works() -> None:
    box, clock = outbox("a")
    service = Service(*[HandOverOutcome.REFUSED] * 5)
    began = clock()
    assert Courier(box, service, clock, clock.sleep).send_all(600)
    assert states(box) == ["sent"]
    assert box.get(1).attempts == 6
    assert clock() - began == 2 + 4 + 8 + 16 + 32


def test_pauses_double_up_to_a_minute() -> None:
    assert [pause_after(attempts) for attempts in (1, 2, 3, 6, 60)] == [2, 4, 8, LONGEST_PAUSE, LONGEST_PAUSE]


def test_it_waits_no_longer_than_it_may_and_tells_why() -> None:
    box, clock = outbox("a")
    assert not Courier(box, Service(*[HandOverOutcome.REFUSED] * 50), clock, clock.sleep).send_all(10)
    message = box.get(1)
    assert (message.state, message.problem) == (MessageState.WAITING, "the service said so")


def test_it_gives_up_in_the_end() -> None:
    box, clock = outbox("a")
    service = Service(*[HandOverOutcome.REFUSED] * 500)
    assert Courier(box, service, clock, clock.sleep).send_all(1e6)
    assert states(box) == ["given up"]
    assert len(service.given) == MOST_ATTEMPTS


def test_what_is_a_day_old_is_not_sent_any_more() -> None:
    box, clock = outbox("a")
    clock.now += OLDEST + 1
    service = Service()
    assert Courier(box, service, clock).send_due() == 0
    assert states(box) == ["given up"]
    assert not service.given


def test_what_may_have_been_sent_is_not_tried_again() -> None:
    box, clock = outbox("a", "b")
    service = Service(HandOverOutcome.UNCLEAR)
    Courier(box, service, clock, clock.sleep).send_all(600)
    assert sorted(states(box)) == ["sent", "unclear"]
    assert len(service.given) == 2


def test_a_fault_of_the_delivery_itself_stops_no_other_message() -> None:
    class Faulty(Service):
        def hand_over(self, message: Message) -> Handed:
            if message.id == 1:
                raise ZeroDivisionError
            return super().hand_over(message)

    box, clock = outbox("a", "b")
    Courier(box, Faulty(), clock).send_due()
    assert states(box) == ["unclear", "sent"]
    assert "ZeroDivisionError" in box.get(1).problem


def test_without_a_delivery_what_waits_stays() -> None:
    box, clock = outbox("a")
    Courier(box, NoDelivery(), clock).send_due()
    assert states(box) == ["waiting"]


# clocks that jump


def test_a_clock_set_back_does_not_keep_a_message() -> None:
    box, clock = outbox("a")
    service = Service(HandOverOutcome.REFUSED)
    courier = Courier(box, service, clock, clock.sleep)
    courier.send_due()
    clock.now -= 5 * 3600
    assert box.seconds_to_next() == 0
    courier.send_due()
    assert states(box) == ["sent"]


# programs that end in the middle

_SENDER = """
    import os, signal, sys, time
    from pathlib import Path
    from camphor.device.health.database import HealthDatabase
    from camphor.device.health.outbox import Outbox
    from camphor.health.emergency.delivery import Courier
    from camphor.health.emergency.delivery import Handed, HandOverOutcome
    from camphor.device.health.outbox import Channel

    folder = Path(sys.argv[1])

    class Noting:
        channels = frozenset(Channel)
        def hand_over(self, message):
            if sys.argv[2] == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            with open(folder / "taken", "a") as file:
                file.write(message.draft.key + "\\n")
            if sys.argv[2] == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return Handed(HandOverOutcome.TAKEN)

    box = Outbox(HealthDatabase(folder / "x.health"), time.time)
    Courier(box, Noting(), time.time).send_due()
"""


def run(folder: Path, when: str) -> int:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(_SENDER), str(folder), when], timeout=60).returncode


@pytest.mark.parametrize(("when", "taken"), [("before", []), ("after", ["a"])])
def test_killed_between_the_hand_over_and_the_mark_nothing_is_sent_twice(
    tmp_path: Path, when: str, taken: list[str]
) -> None:
    box = Outbox(HealthDatabase(tmp_path / "x.health"), time.time)
    box.write([draft("a")])
    assert run(tmp_path, when) == -signal.SIGKILL
    assert states(box) == ["sending"]
    told = tmp_path / "taken"
    assert run(tmp_path, "never") == 0
    assert (told.read_text().split() if told.exists() else []) == taken
    message = box.get(1)
    assert message.state is MessageState.UNCLEAR
    assert "nobody can tell" in message.problem
    # the person found out that it was not sent
    box.settle(1, sent=False)
    assert run(tmp_path, "never") == 0
    assert told.read_text().split() == [*taken, "a"]
    assert states(box) == ["sent"]


def test_what_a_living_program_hands_over_is_left_to_it() -> None:
    box, _ = outbox("a")
    box.claim(1)
    assert box.cut_off() == ()
    assert states(box) == ["sending"]


def test_a_hand_over_that_lasts_too_long_counts_as_cut_off_and_its_mark_still_counts() -> None:
    box, clock = outbox("a")
    box.claim(1)
    clock.now += LEASE + 1
    assert [message.id for message in box.cut_off()] == [1]
    box.mark(1, MessageState.SENT)
    assert states(box) == ["sent"]


# what a person says


def test_a_person_settles_what_is_unclear() -> None:
    box, _ = outbox("a", "b")
    for number in (1, 2):
        box.claim(number)
        box.mark(number, MessageState.UNCLEAR, "no answer")
    assert box.settle(1, sent=True).state is MessageState.SENT
    assert box.settle(2, sent=False).state is MessageState.WAITING
    box.mark(2, MessageState.SENT)  # a late mark does not overrule the person
    assert states(box) == ["sent", "waiting"]


def test_only_what_is_open_can_be_settled() -> None:
    box, _ = outbox("a", "b")
    with pytest.raises(UsageError, match="Message 1 is waiting"):
        box.settle(1, sent=False)
    with pytest.raises(UsageError, match="no message 9"):
        box.settle(9, sent=True)
    box.claim(2)
    box.mark(2, MessageState.UNCLEAR)
    box.withdraw("sos-1")
    with pytest.raises(UsageError, match="what it is about is over"):
        box.settle(2, sent=False)
    assert states(box) == ["withdrawn", "unclear"]


def test_a_service_may_have_several_ways() -> None:
    box, clock = outbox("a")
    service = Service(channels=BOTH)
    Courier(box, service, clock).send_due()
    assert service.told == ["a"]
