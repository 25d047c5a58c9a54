"""The scheduler killed in the middle of a dose: no dose is lost, none becomes two."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

from camphor.device.health.doses import DoseState
from tests.doubles.scheduler import Phone

ROOT = Path(__file__).parents[3]
_BEGIN = """
import time
from pathlib import Path
from tests.doubles.scheduler import Phone
from camphor.device.health.doses import DoseState
phone = Phone(Path({path!r}))

def stand(word):
    print(word, flush=True)
    time.sleep(100)
"""
_WHILE_SHOWING = 'phone.reminders.notify = lambda reminder: stand("shown")\nphone.at(8)\n'
_WHILE_NOTING = """
phone.now = phone.now.replace(hour=8)
with phone.doses._database.transaction():
    phone.doses.decide(1, DoseState.TAKEN, phone.reminders.now)
    stand("noting")
"""
_AFTER_NOTING = 'phone.now = phone.now.replace(hour=8)\nphone.reminders.taken(1)\nstand("noted")\n'


def killed(path: Path, script: str) -> None:
    """Runs a script on the phone's doses and kills it where it says that it stands."""
    begin = _BEGIN.format(path=str(path))
    process = subprocess.Popen([sys.executable, "-c", begin + script], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline().strip() in ("shown", "noting", "noted")
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_killed_while_it_shows_a_reminder_it_shows_it_again_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "phone.health"
    Phone(path).take()
    killed(path, _WHILE_SHOWING)
    phone = Phone(path)
    assert phone.at(8) == []  # whoever was killed has a minute
    (again,) = phone.at(8, 1)
    assert "You may have seen this before" in again.text
    assert phone.reminders.taken(1)[1]
    assert phone.at(9) == []
    assert phone.reminders.counts(datetime(2026, 3, 12), datetime(2026, 3, 13))["taken"] == 1


def test_killed_before_a_word_is_noted_the_dose_is_open_and_asked_about_again(tmp_path: Path) -> None:
    path = tmp_path / "phone.health"
    first = Phone(path)
    first.take()
    first.at(8)
    killed(path, _WHILE_NOTING)
    phone = Phone(path, now=first.now + timedelta(minutes=10))
    assert phone.doses.dose(1).state is DoseState.DUE
    assert [event for _, event, _ in phone.doses.events(1)] == ["reminding", "reminded"]
    assert len(phone.reminders.tick()) == 1
    assert phone.reminders.taken(1)[1]


def test_killed_after_a_word_was_noted_it_is_never_asked_about_again(tmp_path: Path) -> None:
    path = tmp_path / "phone.health"
    first = Phone(path)
    first.take()
    first.at(8)
    killed(path, _AFTER_NOTING)
    phone = Phone(path, now=first.now)
    assert not phone.reminders.taken(1)[1]
    assert [each.dose.id for hour in range(8, 22) for each in phone.at(hour)] == [2, 2]
