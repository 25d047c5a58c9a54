"""What folders of mail are called: names and labels as programs write them, and those of spam and trash."""

from __future__ import annotations

import binascii
import re

_LONGEST = 200  # characters of a folder's name

# Of mail programs and services, in the languages that people have them in.
_LEFT_OUT = frozenset(
    """
    trash|bin|deleted|deleted items|deleted messages|deleted mail|spam|junk|junk e-mail|junk email|junk mail|bulk mail
    papierkorb|gelöscht|gelöschte elemente|gelöschte objekte|gelöschte nachrichten|junk-e-mail|spamverdacht|unerwünscht
    unerwünschte werbung|corbeille|éléments supprimés|messages supprimés|courrier indésirable|indésirables|pourriel
    papelera|elementos eliminados|eliminados|mensajes eliminados|correo no deseado|no deseado|cestino|posta eliminata
    messaggi eliminati|posta indesiderata|indesiderata|prullenbak|prullenmand|verwijderde items|verwijderde berichten
    ongewenste e-mail|ongewenst|ongewenste reclame|lixeira|lixo|itens excluídos|itens eliminados|lixo eletrônico
    lixo eletrónico|papirkurv|slettede elementer|søppelpost|søppel-e-post|slettet post|uønsket e-mail|uønsket mail
    papperskorg|papperskorgen|borttagna objekt|skräppost|roskakori|poistetut|roskaposti|kosz|elementy usunięte
    wiadomości-śmieci|koš|odstraněná pošta|nevyžádaná pošta|корзина|удаленные|удалённые|спам|нежелательная почта|кошик
    çöp kutusu|silinmiş öğeler|önemsiz|önemsiz e-posta|κάδος|ανεπιθύμητα|ゴミ箱|迷惑メール|削除済みアイテム|垃圾邮件
    已删除|已删除邮件|废件箱|垃圾郵件|垃圾桶|휴지통|스팸|스팸함
    """.replace("\n", "|")
    .replace("|    ", "|")
    .split("|")
) - {"", "    "}
# Labels of Gmail that say how a mail is, not where.
_STATES = frozenset(("archived", "important", "opened", "starred", "unread"))
_LABEL = re.compile(r'\s*(?:"([^"]*+)"|([^,"]++))')
_UTF7 = re.compile(r"&([A-Za-z0-9+,]*+)-")


def left_out(name: str, between: str) -> bool:
    """Whether a folder, given with those that it is in, or one of a mail's labels is for spam or trash."""
    return any(each.strip(' "[]').casefold() in _LEFT_OUT for each in name.split(between))


def of_labels(labels: str) -> str:
    """The folder that stands for Gmail's labels: those that a person would look in."""
    names = [(quoted or plain).strip() for quoted, plain in _LABEL.findall(labels)]
    kept = [name for name in names if name and name.lower() not in _STATES and not name.lower().startswith("category ")]
    return ", ".join(kept)[:_LONGEST]


def maildir_name(place: str) -> str:
    """The name of a Maildir folder from its place: ".Trips.2025" is Trips/2025, and its letters are IMAP's UTF-7."""
    parts: list[str] = []
    for part in place.split("/"):
        parts += part.split(".") if part.startswith((".", "INBOX.", "[")) else [part]
    return "/".join(_UTF7.sub(_letters, part) for part in parts if part)[:_LONGEST]


def _letters(found: re.Match[str]) -> str:
    told = found[1].replace(",", "/")
    if not told:
        return "&"
    try:
        return binascii.a2b_base64(told + "=" * (-len(told) % 4)).decode("utf-16-be")
    except ValueError:
        return found[0]
