"""Numbers of the person's country, and what is told with them."""

from __future__ import annotations

import pytest

from camphor.agents.health.red_flags import RaisedFlag, flags
from camphor.agents.health.suspicion import LANGUAGES
from camphor.agents.health.triage import Triage, Urgency
from camphor.health.emergency import lines
from camphor.health.emergency.lines import GENERAL, code_of, lines_of
from camphor.health.emergency.wording import call_too, told


def test_at_least_forty_countries_each_with_sources() -> None:
    known = lines._data()
    assert len(known) >= 40
    for code in known:
        found = lines_of(code)
        assert len(code) == 2
        assert found.emergency
        assert found.source.startswith("https://")
        assert lines._zones()
        for name in ("crisis", "poison", "advice"):
            line = found.of(name)
            assert line is None or (line.number and line.name and line.source.startswith("https://"))


@pytest.mark.parametrize(
    ("written", "code"),
    [("gb", "GB"), ("United Kingdom", "GB"), ("España", "ES"), ("Österreich", "AT"), ("Atlantis", ""), ("", "")],
)
def test_country_by_code_or_name(written: str, code: str) -> None:
    assert code_of(written) == code


@pytest.mark.parametrize(
    ("profile", "place", "zone", "code"),
    [
        ({"country": "FR"}, "United Kingdom", "Europe/Madrid", "FR"),
        ({}, "United Kingdom", "Europe/Madrid", "GB"),
        ({}, "", "Europe/Madrid", "ES"),
        ({"country": "Atlantis"}, "", "Mars/Base", ""),
    ],
)
def test_profile_goes_before_place_and_place_before_zone(
    profile: dict[str, str], place: str, zone: str, code: str
) -> None:
    class Phone:
        timezone = zone
        location = {"country": place}  # noqa: RUF012

        def fact(self, app: str, name: str) -> dict[str, str]:
            return profile if (app, name) == ("clinic", "profile") else {}

    assert lines.country_of(Phone()) == code  # type: ignore[arg-type]


def verdict(level: Urgency, kind: str, *shown: str, language: str = "en") -> Triage:
    return Triage(level, (RaisedFlag(flags()[kind]),), lines=shown, language=language)


def test_now_tells_the_number_of_the_country() -> None:
    (text,) = told(verdict(Urgency.NOW, "stroke"), lines_of("AU"))
    assert "Call 000 now" in text
    assert "Note the time" in text


def test_lines_are_told_whatever_the_verdict_is() -> None:
    routine = Triage(Urgency.ROUTINE, lines=("crisis", "poison"))
    assert [("988" in text, "1-800-222-1222" in text) for text in told(routine, lines_of("US"))] == [
        (True, False), (False, True),
    ]  # fmt: skip


def test_what_is_not_known_is_said() -> None:
    shown = told(verdict(Urgency.TODAY, "medicine", "poison"), lines_of("Atlantis"))
    assert all(GENERAL in text or "today" in text for text in shown)
    assert any("no poison line of your country" in text for text in shown)
    assert any("no advice line of your country" in text for text in shown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("country", ["DE", "BG", ""])
def test_every_language_says_everything(language: str, country: str) -> None:
    for level in (Urgency.NOW, Urgency.TODAY, Urgency.ROUTINE):
        shown = told(verdict(level, "self_harm", "crisis", "poison", language=language), lines_of(country))
        assert shown
        assert not any("{" in text for text in shown)


def test_routine_has_nothing_to_tell() -> None:
    assert told(Triage(Urgency.ROUTINE), lines_of("GB")) == []
    assert "999" in call_too(lines_of("GB"))
