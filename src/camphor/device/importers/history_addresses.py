"""Addresses of web pages, without what could let somebody in: passwords, tokens, the number of a session."""

from __future__ import annotations

import re

LONGEST = 4096
"""Characters of an address; one that is longer loses what follows its path."""

# By hand, as nothing below camphor.models imports urllib (pyproject.toml, "The network has one door").
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[^/?#]+)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL | re.IGNORECASE,
)
_WORDS = """
activate activation apikey assertion auth authorisation authorization challenge checksum code confirm confirmation
cookie cred creds csrf digest hash hmac invitation invite jwt key login magic mfa nonce otp pass passcode passphrase
pin pw pwd reset saml sess sid sig sign state ticket totp verification verifier verify xsrf
"""
_SECRET_WORDS = frozenset(_WORDS.split())
_SECRET_PART = re.compile("accesskey|apikey|auth(?!or)|credential|passw|saml|secret|sessid|session|signature|token")
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_IN_PATH = re.compile(r";[^/;=]*(?:session|sessid|token|sid)[^/;=]*=[^/;]*", re.IGNORECASE)


def page_address(text: str) -> str | None:
    """The address of a web page without its secrets; None for what is none, "" for one that is too long.

    Of a query only the parameters that look secret are cut off, and all of it where its end is missing.
    """
    found = _ADDRESS.fullmatch(text[: LONGEST + 1])
    if not found:
        return None
    query, fragment = found["query"], found["fragment"]
    if len(text) > LONGEST:
        if query is None and fragment is None:
            return ""
        query = fragment = None
    host, path = found["host"].rpartition("@")[2], _IN_PATH.sub("", found["path"])
    kept = "&".join(each for each in re.split("[&;]", query or "") if each and not _secret(each))
    address = f"{found['scheme'].lower()}://{host}{path}" + (kept and f"?{kept}")
    return f"{address}#{fragment}" if fragment and not _secret(fragment) else address


def _secret(text: str) -> bool:
    """Whether a parameter, or one of an address inside it, looks like a secret or has the name of one."""
    for _ in range(3 if "%" in text else 0):
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    if _UUID.search(text) or any(not run.isdigit() and not run.isalpha() for run in _RUN.findall(text)):
        return True
    return any(_secret_name(each.partition("=")[0]) for each in re.split("[?&;#/]", text) if "=" in each)


def _secret_name(name: str) -> bool:
    words = [word.lower() for word in _NAME_WORD.findall(name)]
    return not _SECRET_WORDS.isdisjoint(words) or bool(_SECRET_PART.search("".join(words)))
