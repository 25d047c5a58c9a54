"""What is not English is answered in its language and nothing is done; English, of whatever sort, is left alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from camphor.agents import languages
from camphor.agents.languages import not_english
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel

DATA = Path(__file__).parents[2] / "data"
SENTENCES = [json.loads(line) for line in (DATA / "languages" / "sentences.jsonl").read_text("utf-8").splitlines()]
ANSWERS = languages._data()["answers"]


def queries(name: str) -> list[str]:
    files = sorted((DATA / name).rglob("items.jsonl"))
    return [json.loads(line)["query"] for file in files for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("language", sorted({each["language"] for each in SENTENCES}))
def test_a_wish_in_another_language_is_answered_in_it(language: str) -> None:
    texts = [each["text"] for each in SENTENCES if each["language"] == language]
    told = [not_english(text) for text in texts]
    assert all(told), [text for text, answer in zip(texts, told, strict=True) if not answer]
    in_it = [answer.startswith(ANSWERS[language]) and answer.endswith(f"({ANSWERS['en']})") for answer in told]
    assert sum(in_it) >= len(texts) - 2  # of Russian two are taken for Bulgarian or Ukrainian


@pytest.mark.parametrize("name", ["handwritten", "handwritten-development"])
def test_english_is_left_alone(name: str) -> None:
    asked = queries(name)
    assert sum(bool(not_english(query)) for query in asked) < 0.005 * len(asked)


@pytest.mark.parametrize("language", sorted(set(ANSWERS) - {"en"}))
def test_every_answer_is_in_the_language_that_it_is_for(language: str) -> None:
    assert not_english(ANSWERS[language]).startswith(ANSWERS["sr" if language == "hr" else language])


@pytest.mark.parametrize(
    "query",
    [
        "hola", "danke", "call Maria now",  # too short to tell
        "weh di pharmacy deh, show mi", "ah've never been tae that student physio, whaur is it even",
        "tell me wetin dey for the 19th", "please to be reminding me the bank",
        "ring Björn Åkesson about São Paulo tickets", "play Águas de Março by Elis Regina",
        "text Ana “te quiero mucho, hasta mañana por la noche”", "note: comprar pão e leite para o jantar",
        "put 牛乳 on the list", "\U0001f600", "",
    ],
)  # fmt: skip
def test_names_quotes_dialects_and_short_words_are_no_other_language(query: str) -> None:
    assert not_english(query) == ""


@pytest.mark.parametrize(("query", "language"), [("牛乳を買う", "ja"), ("Γεια", "el"), ("내일 일정이 뭐야?", "ko")])
def test_another_script_is_noticed_in_few_words(query: str, language: str) -> None:
    assert not_english(query).startswith(ANSWERS[language])


def test_nothing_is_done_and_no_model_is_asked() -> None:
    model = ScriptedModel(())
    with Device.create(None, {"format": "camphor.device/1", "id": "p", "apps": {"reminders": {}}}) as device:
        assistant = Assistant(device, model)
        answered = run_to_end(assistant, "Erinnere mich daran, um sechs meine Mutter anzurufen", consent=True)
        assert answered.response.startswith("Ich verstehe bisher nur Englisch")
        assert (answered.proposed, device.journal(), assistant.history) == ((), [], ())
    assert model.requests == []


def test_the_detector_is_not_opened_for_plain_english() -> None:
    code = (
        "import sys\nfrom camphor.agents.languages import not_english\n"
        'assert not not_english("Text Alice that I\'ll be late and remind me at 6 to call her")\n'
        "assert 'py3langid' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
