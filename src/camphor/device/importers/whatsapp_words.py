"""What in an exported WhatsApp chat a person wrote, and what the program did: its words in the languages of phones.

The program sets U+200E before most of its own words on iPhones and before names of files on Android, in whatever
language; the lists below are for what has no such mark.
"""

from __future__ import annotations

import re

from camphor.device.importers.chat_parts import clean, named
from camphor.device.text import fold

LRM = "\u200e"
_MARKS = re.compile(r"[\u200e\u202a-\u202e\u2066-\u2069]")
_LEFT_OUT = (
    r"(?:omitted|weggelassen|ausgelassen|ausgeschlossen|omis(?:e|es)?|absente?|manquante?|retiré|omitid[oa]s?|omess[oa]"
    r"|omessi|esclus[oa]|non inclus[oa]|ocult[oa]s?|ocultad[oa]|não revelad[oa]|weggelaten|utelatt|utelämnad|udeladt"
    r"|jätetty pois|pominięt[oey]|vynechán[oa]?|отсутствует|пропущен[оаы]?|не добавлен|без медиафайлов|відсутнє"
    r"|пропущено|не додано|dahil edilmedi|tidak disertakan)"
)
# A whole line on Android: "<Media omitted>".
_OMITTED_LINE = re.compile(
    rf"\A\u200e?<(?P<kind>[^<>\n]{{0,40}}?)[ \u00a0]?\b{_LEFT_OUT}\b[^<>\n]{{0,20}}>[ ]*$", re.I | re.M
)
# After a mark on iPhones: "image omitted".
_OMITTED = re.compile(
    rf"\u200e(?P<kind>[^\u200e<>\n]{{0,40}}?)[ \u00a0]?\b{_LEFT_OUT}\b[^\u200e<>\n]{{0,20}}$", re.I | re.M
)
# "<attached: 00000012-PHOTO-2023-12-31-21-41-05.jpg>", in any language.
_ATTACHED = re.compile(r"(?:\u200e<[^<>:\n]{1,40}|<attached)\s?: ?(?P<name>[^<>\n]{1,255}\.\w{1,10})>", re.I)
# "IMG-20231231-WA0003.jpg (file attached)": any words after the mark, these without.
_FILE = re.compile(
    r"\A(?:\u200e(?P<name>[^<>\n]{1,255}?\.\w{1,10}) \([^()\n]{3,40}\)"
    r"|(?P<unmarked>[^<>\n]{1,255}?\.\w{1,10}) \([^()\n]{0,20}(?:attached|angehängt|joint|adjunto|allegato|anexado"
    r"|bijgevoegd|vedlagt|bifogad|vedhæftet|liitetty|załączono|přiložen|прикреплен|прикріплено|ekli|terlampir)"
    r"[^()\n]{0,20}\))[ ]*$",
    re.I | re.M,
)
_PAGES = re.compile(r"^(?P<name>[^\n•]{1,255}\.\w{1,10}) • \u200e?\d[^\n•]{0,30}$", re.M)  # "Plan.pdf • 12 pages"
_EDITED = re.compile(
    r"\u200e?<[^<>\n]{0,40}(?:edited|bearbeitet|modifié|editó|editad[oa]|modificato|bewerkt|redigert|redigeret"
    r"|redigerades|muokattu|edytowan[ao]|изменено|düzenlendi|diedit)[^<>\n]{0,10}>\Z",
    re.I,
)
_POLL = re.compile(r"\A\u200e[^\W\d_]{2,20}\s?:[ ]*\n")
_PLACE = re.compile(r"\A\u200e[^\n:]{2,30}: ?https?://")
_NOTICE = re.compile(
    r"\bend[- ]to[- ]end\b|ende[- ]zu[- ]ende|bout en bout|extremo a extremo|ponta a ponta|ponto a ponto|crittografati"
    r"|ende[- ]til[- ]ende|totalstrackskrypter|pa[aä]sta pa[aä]han|сквозным шифрованием|наскрізним|uctan uca",
    re.I,
)
# What has a sender and is no message: taken back, and calls. Folded, without the full stop.
_SYSTEM = frozenset(
    fold(line.strip())
    for line in """
    null
    This message was deleted|You deleted this message|Message deleted|Waiting for this message
    Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht
    Ce message a été supprimé|Vous avez supprimé ce message
    Se eliminó este mensaje|Este mensaje fue eliminado|Eliminaste este mensaje
    Questo messaggio è stato eliminato|Hai eliminato questo messaggio
    Esta mensagem foi apagada|Essa mensagem foi apagada|Mensagem apagada|Apagou esta mensagem|Você apagou esta mensagem
    Dit bericht is verwijderd|U hebt dit bericht verwijderd|Je hebt dit bericht verwijderd
    Denne meldingen ble slettet|Du slettet denne meldingen|Denne besked blev slettet|Du slettede denne besked
    Det här meddelandet raderades|Du raderade det här meddelandet|Det här meddelandet togs bort
    Tämä viesti poistettiin|Poistit tämän viestin
    Данное сообщение удалено|Это сообщение было удалено|Вы удалили данное сообщение|Bu mesaj silindi|Bu mesajı sildiniz
    Missed voice call|Missed video call|Missed group voice call|Missed group video call
    Verpasster Sprachanruf|Verpasster Videoanruf|Verpasster Gruppenanruf
    Appel vocal manqué|Appel vidéo manqué|Llamada perdida|Llamada de voz perdida|Videollamada perdida
    Chiamata vocale persa|Videochiamata persa|Chamada de voz perdida|Chamada de vídeo perdida|Ligação de voz perdida
    Gemiste spraakoproep|Gemiste oproep|Gemiste video-oproep|Ubesvart taleanrop|Ubesvart videoanrop
    Ubesvaret taleopkald|Ubesvaret videoopkald|Missat röstsamtal|Missat videosamtal
    """.replace("\n", "|").split("|")
    if line.strip()
)
_CALLED_AT = re.compile(r"missed (?:group )?(?:voice|video) call at [\d:. apm]+", re.I)
# A line of the program that has a colon inside a quotation: 'Anna changed the subject to "Trip: Rome"'.
_IN_QUOTES = re.compile(r"(?:^|\s)[\"“„«][^\"”“»]*$")


def is_sender(name: str) -> bool:
    """Whether what stands before a colon is a name, and not the beginning of a line of the program."""
    return bool(name) and not _IN_QUOTES.search(name)


def is_notice(text: str) -> bool:
    """Whether it is the line with which an export begins: that messages are encrypted."""
    return bool(_NOTICE.search(text[:500]))


def without_marks(text: str) -> str:
    """A text without the marks of direction that the program sets around names, files and its own words."""
    return text if text.isascii() else _MARKS.sub("", text)


def content(text: str) -> tuple[str, list[str]] | None:
    """What a person wrote, and the files that came with it, each by its name or, where it is not known, its kind.

    None for what the program wrote: that somebody joined, that a message was deleted, that a call was missed.
    """
    files: list[str] = []

    def taken(found: re.Match[str]) -> str:
        told = found.groupdict()
        name = told.get("name") or told.get("unmarked") or told.get("kind", "").strip().lower() or "media"
        files.append(named(without_marks(name)))
        return ""

    body = text.rstrip()
    if body.endswith(">"):
        body = body[:-100] + _EDITED.sub("", body[-100:])
    for pattern in (_FILE, _OMITTED_LINE, _ATTACHED, _OMITTED):
        body = pattern.sub(taken, body)
    if not files and text.startswith(LRM) and not _POLL.match(text) and not _PLACE.match(text):
        return None
    if files and (document := _PAGES.search(body)):
        files = [named(without_marks(document["name"]))]
        body = _PAGES.sub("", body, count=1)
    said = clean(without_marks(body))
    if not files and (not said or _is_system(said)):
        return None
    return said, files


def _is_system(said: str) -> bool:
    return len(said) < 80 and (fold(said).rstrip(". ") in _SYSTEM or bool(_CALLED_AT.fullmatch(said)))
