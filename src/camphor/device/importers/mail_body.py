"""The text of a mail as a person wrote it: HTML as text without what is hidden, replies without what they quote."""

from __future__ import annotations

import re
from html import unescape

from camphor.device.importers.mail_charsets import seen

LONGEST = 20_000
"""Characters of a mail's text."""
_LOOKED_AT = 200_000  # characters in which the person's own are looked for, among quoted ones

# Each part either takes what is there for good or fails at once, so that no page takes more than linear time.
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)>")
_RAW_END = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "title", "textarea", "xmp")}
_NEVER_SHOWN = frozenset(
    ("head", "template", "noframes", "svg", "math", "object", "audio", "video", "select", "datalist")
)
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_LINES = frozenset((
    "address", "article", "aside", "body", "caption", "center", "dd", "div", "dt", "fieldset", "figcaption", "figure",
    "footer", "form", "header", "hr", "html", "legend", "li", "main", "nav", "section", "tbody", "tfoot", "thead", "tr",
))  # fmt: skip
_PARAGRAPHS = frozenset((
    "blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul",
))  # fmt: skip
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:max-height|opacity)\s*:\s*0(?:\.0+)?(?![.\d])"
)
# The text itself, not what is inside: layouts set it where children have sizes of their own.
_TINY = re.compile(r"font-size\s*:\s*0(?:\.0+)?(?![.\d])")
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
_HIDDEN = re.compile(r"(?<![\w:-])hidden(?![\w-])")
_CITED = re.compile(r"type\s*=\s*[\"']?cite|gmail_quote|(?<![\w-])cite\s*=")


class _Page:
    """The text of a page, as far as it was read. `gap` is how many line ends are due before the next word."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = 0
        self._gap, self._space = 0, False
        self._cites: list[bool] = []
        self._plain = 0

    def add(self, text: str) -> None:
        try:
            text = unescape(text)
        except ValueError:  # a character's number of thousands of digits
            return
        lines = text.split("\n") if self._plain else (text,)
        for place, each in enumerate(lines):
            self._gap += bool(place)
            words = each.split()
            if words:
                self._put(" ".join(words), each[0].isspace() or self._space)
                self._space = each[-1].isspace()
            else:
                self._space = self._space or bool(each)

    def _put(self, text: str, spaced: bool) -> None:
        if self._gap:
            mark = "> " if any(self._cites) else ""
            blank = f"\n{mark.rstrip()}" if self._gap > 1 and self.pieces else ""
            self.pieces.append(f"{blank}\n{mark}")
            self._gap = 0
        elif spaced:
            self.pieces.append(" ")
        self.pieces.append(text)
        self.size += len(text)

    def tag(self, name: str, closing: bool, told: str) -> None:
        if name == "br":
            self._gap += 1
        elif name in _LINES:
            self._gap = max(self._gap, 1)
        elif name in _PARAGRAPHS:
            self._gap = max(self._gap, 2)
        elif name in ("td", "th"):
            self._space = True
        if name == "li" and not closing:
            self._put("-", False)
            self._space = True
        elif name == "pre":
            self._plain = max(0, self._plain + (-1 if closing else 1))
        elif name == "blockquote" and not closing:
            self._cites.append(_CITED.search(told) is not None)
        elif name == "blockquote" and self._cites:
            self._cites.pop()


def from_html(html: str) -> str:
    """The text of a page as it is seen; what a reply cites has the mark ">" before each line."""
    page = _Page()
    at, tiny = 0, False
    hidden, depth = "", 0  # the element that is not shown, and how many of its name are open
    while at < len(html) and page.size < _LOOKED_AT:
        start = html.find("<", at)
        text = html[at : start if start >= 0 else len(html)]
        if text and not hidden and not tiny:
            page.add(text)
        if start < 0:
            break
        tag = _TAG.match(html, start)
        if tag is None:
            at = _after_other(html, start)
            if at == start + 1 and not hidden and not tiny:
                page.add("<")
            continue
        at = tag.end()
        closing, name, told = bool(tag[1]), tag[2].lower(), tag[3].lower()
        tiny = _TINY.search(told) is not None
        if name in _RAW_END and not closing:
            end = _RAW_END[name].search(html, at)
            at = end.start() if end else len(html)
        elif hidden and not (name == "body" and hidden == "head"):
            depth += 0 if name != hidden else -1 if closing else 1
            hidden = hidden if depth else ""
        elif not closing and name not in _VOID and not told.endswith("/") and _hides(name, told):
            hidden, depth = name, 1
        else:
            hidden = ""
            page.tag(name, closing, told)
    return "".join(page.pieces)


def _after_other(html: str, start: int) -> int:
    """Where it goes on after a "<" that begins no tag: a comment, a declaration, a tag that is cut off, or text."""
    if html.startswith("<!--", start):
        end, length = html.find("-->", start + 2), 3
    elif html[start + 1 : start + 2] in ("!", "?", "/") or html[start + 1 : start + 2].isalpha():
        end, length = html.find(">", start), 1
    else:
        return start + 1
    return end + length if end >= 0 else len(html)


def _hides(name: str, told: str) -> bool:
    if name in _NEVER_SHOWN or _HIDING.search(told):
        return True
    return "hidden" in told and _HIDDEN.search(_QUOTED.sub("", told)) is not None


_FORWARDS = re.compile(r"\s*\[?(?:fwd?|wg|tr|rv|enc|doorst|vb|i|pd|转发|轉寄)\s*[:：]", re.IGNORECASE)
_REPLIES = re.compile(
    r"\s*(?:re|aw|antw|sv|rép|ré|rif|r|odp|vs|回复|回覆|答复)\s*(?:\[\d+\]|\(\d+\))?\s*[:：]", re.IGNORECASE
)
# "On 3 May, Ana <ana@example.org> wrote:", as the programs of several languages have it.
_WROTE = re.compile(
    r"\b(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu|skrev|napisał|napsal|kirjoitti|написал|писал"
    r"|пишет|yazdı|έγραψε)\b|写道|寫道|のメール|님이 작성"
)
_WHEN = re.compile(r"[\d@]")
_BEGINS = re.compile(r"\W*(?:on|am|le|el|il|op|em|den|dnia|w dniu|dne|på|kl|в|at)\b", re.IGNORECASE)
_MOST_LINES, _MOST_WROTE = 3, 400  # lines and characters of such a line, which is broken where it is long
_ORIGINAL = re.compile(
    r"\s*-{2,}\s*(?:original message|original appointment|ursprüngliche nachricht|originalnachricht|message d'origine"
    r"|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|ursprungligt meddelande"
    r"|opprinnelig melding|oprindelig meddelelse)\s*-{2,}",
    re.IGNORECASE,
)
_FROM = re.compile(r"\*?(?:from|von|de|da|van|från|fra)\s?:\*?\s", re.IGNORECASE)
_SENT = re.compile(
    r"\*?(?:sent|date|gesendet|datum|envoyé|enviado(?: el)?|fecha|inviato|data|verzonden|skickat|sendt|dato)\s?:",
    re.IGNORECASE,
)
_RULE = re.compile(r"[\s_>-]*")


def own_text(text: str, subject: str, answers: bool) -> str:
    """What a mail says itself, without what it quotes; a forwarded mail, or one that is all quote, as it is.

    Args:
        answers: whether the mail's headers name another that it answers.
    """
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(map(str.rstrip, seen(text[:_LOOKED_AT]).split("\n")))).strip("\n ")
    if _FORWARDS.match(subject):
        return text[:LONGEST].rstrip()
    own = _without_quotes(text.split("\n"), answers or _REPLIES.match(subject) is not None)
    return (own or text)[:LONGEST].rstrip()


def _without_quotes(lines: list[str], reply: bool) -> str:
    """The lines but those with ">", and but for what stands below the line that says who wrote what is quoted: a person
    may answer below quoted lines, which then have marks."""
    kept: list[str] = []
    for place, each in enumerate(lines):
        bare = each.lstrip()
        if bare.startswith(">"):
            continue
        if bare.endswith((":", "：")) and (wrote := _wrote(kept, bare)):
            below = next((line.lstrip() for line in lines[place + 1 : place + 3] if line), "")
            if not below or below.startswith(">") or reply or "@" in bare:
                del kept[len(kept) - wrote + 1 :]
                if below.startswith(">"):
                    continue
                break
        if reply and (_ORIGINAL.match(bare) or _headers_begin(lines, place)):
            break
        kept.append(each)
    while kept and _RULE.fullmatch(kept[-1]):
        kept.pop()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n ")


def _wrote(kept: list[str], last: str) -> int:
    """How many lines, of which `last` is the last, say who wrote what follows; 0 for none."""
    told, found = last, 0
    for count in range(1, _MOST_LINES + 1):
        if len(told) > _MOST_WROTE:
            break
        if _WROTE.search(told) and _WHEN.search(told):
            if _BEGINS.match(told):
                return count
            found = found or int(count == 1)
        before = kept[-count] if len(kept) >= count else ""
        if not before:
            break
        told = f"{before} {told}"
    return found


def _headers_begin(lines: list[str], place: int) -> bool:
    """Whether the headers of a quoted mail begin here, as Outlook writes them."""
    if not _FROM.match(lines[place]):
        return False
    return any(_SENT.match(line) for line in lines[place + 1 : place + 4])
