"""`camphor service` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doubles.command import Camphor, one_line
from tests.doubles.emergency import serving


def test_places_are_added_tried_and_removed_and_no_secret_is_told(camphor: Camphor) -> None:
    nothing = camphor("service", "test")
    assert nothing.status == 1
    assert "Nothing rang" in one_line(nothing.err)
    with serving(200, 500) as server:
        url = server.url.replace("{to}", "secret-topic")
        assert camphor("service", "channels", "add", "watch", "-", stdin=url).status == 0
        rang = camphor("service", "channels", "test", "watch")
        assert rang.status == 0, rang.err
        assert rang.out == "watch: rang\n"
        failed = camphor("service", "test")
        assert failed.status == 1
        assert "watch: the service answered with error 500" in failed.out
        assert [path for path, _ in server.posts] == ["/secret-topic"] * 2
    listed = camphor("service", "channels", "list", "--json")
    assert json.loads(listed.out)[1] == {"name": "watch", "kind": "json", "on": True, "problem": ""}
    status = camphor("service", "status")
    assert status.status == 0
    assert "Nothing looks after your doses" in status.out
    assert "secret-topic" not in listed.out + status.out + rang.out + failed.out
    assert camphor("service", "channels", "remove", "watch").status == 0
    assert "Nothing is set up" in one_line(camphor("service", "channels", "remove", "watch").err)


def test_what_is_no_place_is_refused(camphor: Camphor) -> None:
    for words in (("watch", "carrierpigeon://x"), ("My Watch", "json://127.0.0.1"), ("watch", "nothing")):
        refused = camphor("service", "channels", "add", *words)
        assert refused.status == 2
        one_line(refused.err)
    assert not (camphor.home / "delivery.toml").exists()


def test_how_one_is_reminded_is_said_and_shown(camphor: Camphor) -> None:
    assert "every 10 minutes until you say" in camphor("service", "reminders").out
    said = camphor("service", "reminders", "--once", "--no-desktop", "--report", "never").out
    assert said == "A dose is reminded of once; the desktop does not ring\nThe day's report is never told\n"
    assert camphor("service", "reminders", "--report", "late").status == 2


def test_it_is_installed_shown_and_uninstalled(camphor: Camphor, tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}
    assert "service" in camphor("service", "install", "--show", env=home).out
    made = camphor("service", "install", env=home)
    assert made.status == 0, made.err
    assert "Start it now" in made.out
    written = Path(made.out.splitlines()[0].removeprefix("Written: "))
    assert written.is_file()
    assert camphor("service", "uninstall", env=home).status == 0
    assert not written.exists()
    assert "Nothing was installed" in one_line(camphor("service", "uninstall", env=home).err)


def test_people_are_kept_and_taken_out_of_an_address_book(camphor: Camphor, tmp_path: Path) -> None:
    file = tmp_path / "all.vcf"
    card = "BEGIN:VCARD\nVERSION:3.0\nFN:{}\nTEL:{}\nEND:VCARD\n"
    file.write_text(card.format("Tom Reed", "+44 7700 900123") + card.format("Dr. Ode", "+44 20 7946 0123"))
    assert camphor("device", "new", "own", "--apps", "contacts", "--timezone", "Europe/London").status == 0
    listed = camphor("health", "contacts", "import", str(file), "-d", "own")
    assert "Nobody was taken in" in listed.out
    taken = camphor("health", "contacts", "import", str(file), "--only", "tom reed", "-d", "own")
    assert (taken.status, taken.out) == (0, "Added 1 of 1\n")
    assert camphor("health", "doctors", "import", str(file), "--only", "Dr. Ode", "-d", "own").status == 0
    assert "Nobody in" in one_line(camphor("health", "doctors", "import", str(file), "--only", "X", "-d", "own").err)
    assert camphor("health", "clinics", "add", "Hill Practice", "+44 20 7946 0124", "-d", "own").status == 0
    assert camphor("health", "numbers", "add", "Midwife", "+44 20 7946 0125", "-d", "own").status == 0
    numbers = json.loads(camphor("health", "numbers", "list", "--json", "-d", "own").out)
    assert [each["phone_number"] for each in numbers] == ["999", "+44 20 7946 0125"]
    made = camphor("health", "appointments", "add", "Dr. Ode", "2030-12-03T09:30", "-d", "own")
    assert (made.status, made.out) == (0, "Kept: Dr. Ode, 09:30-10:00 on Tuesday 2030-12-03\n")
    assert "Dr. Ode" in camphor("health", "appointments", "list", "-d", "own").out
    assert camphor("health", "contacts", "remove", "1", "-d", "own").out == "Removed: Tom Reed\n"


@pytest.mark.parametrize("name", ["desktop", "browser", "sms", "email"])
def test_a_place_has_a_name_of_its_own(camphor: Camphor, name: str) -> None:
    refused = camphor("service", "channels", "add", name, "json://127.0.0.1:1/x")
    assert refused.status == 2
    assert "choose another one" in one_line(refused.err)
