"""How messages leave the phone: not at all by default, or through what the person set up for apprise.

The one module that imports apprise. Its services say only whether a message went; why it did not is in their log, and
decides what may be done next: a message that certainly never arrived may be tried again, any other not. The courier
brings messages from the outbox here: side by side, tried again with back-off, each taken at most once.
"""

from __future__ import annotations

import logging
import re
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from camphor.device.health.outbox import TO_OTHERS, Channel, Message, MessageDraft, MessageState, Outbox
from camphor.errors import CamphorError, MissingExtra, UsageError
from camphor.health.emergency.settings import FILE, TO, read_settings


class HandOverOutcome(StrEnum):
    """TAKEN: the service has it. REFUSED: it certainly has not, so it may be tried again. UNCLEAR: who knows."""

    TAKEN = "taken"
    REFUSED = "refused"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Handed:
    """What came of a hand-over; `problem` names no address and no secret."""

    outcome: HandOverOutcome
    problem: str = ""


class Delivery(Protocol):
    """What hands messages over. Used by several threads."""

    @property
    def channels(self) -> frozenset[Channel]:
        """The ways that it has."""
        ...

    def hand_over(self, message: Message) -> Handed:
        """Gives a message to the service, once."""
        ...


class NoDelivery:
    """Nothing is configured: messages are kept in the outbox."""

    channels: frozenset[Channel] = frozenset()

    def hand_over(self, message: Message) -> Handed:
        return Handed(HandOverOutcome.REFUSED, f"no delivery by {message.draft.channel.value} is set up")


@dataclass(frozen=True)
class BrokenDelivery:
    """What is configured cannot be used: every message is refused with the reason, and waits until it is mended."""

    channels: frozenset[Channel]
    problem: str

    def hand_over(self, message: Message) -> Handed:
        return Handed(HandOverOutcome.REFUSED, self.problem)


class AppriseDelivery:
    """Hands messages to services of apprise: https://github.com/caronc/apprise/wiki.

    Args:
        urls: for each channel the service's URL, with `{to}` where the number or address belongs.
    """

    def __init__(self, urls: Mapping[Channel, str]) -> None:
        self._urls = dict(urls)

    def __repr__(self) -> str:
        return f"AppriseDelivery({', '.join(sorted(self._urls))})"  # the URLs hold passwords

    @property
    def channels(self) -> frozenset[Channel]:
        return frozenset(self._urls)

    def prepare(self) -> None:
        """Loads apprise now, so that the first message does not wait for it, and checks the URLs.

        Raises:
            MissingExtra: apprise is not installed. UsageError: a URL that it does not understand.
        """
        for channel, address in ((Channel.SMS, "+15550100100"), (Channel.EMAIL, "a@example.org")):
            if channel in self._urls and _service(self._urls[channel].replace(TO, _encoded(address))) is None:
                raise UsageError(f"{FILE}: [{channel.value}] has a url that apprise does not understand: see its wiki")

    def hand_over(self, message: Message) -> Handed:
        draft = message.draft
        if draft.channel not in self._urls:
            return Handed(HandOverOutcome.REFUSED, f"no delivery by {draft.channel.value} is set up")
        title = "SOS" if draft.channel is Channel.EMAIL else ""  # a text message has none
        return hand_to(self._urls[draft.channel].replace(TO, _encoded(draft.address)), title, draft.text)


def delivery_of(path: Path) -> Delivery:
    """What the settings say of messages to others. Broken ones never raise here: an emergency goes on, and tells it."""
    try:
        ways = read_settings(path).ways
    except UsageError as error:
        return BrokenDelivery(frozenset(TO_OTHERS), str(error))
    return AppriseDelivery({channel: way.url for channel, way in ways.items()}) if ways else NoDelivery()


def hand_to(url: str, title: str, text: str) -> Handed:
    """Gives a text to the service of a URL, once."""
    try:
        service = _service(url)
    except CamphorError as error:
        return Handed(HandOverOutcome.REFUSED, str(error))
    if service is None:
        return Handed(HandOverOutcome.REFUSED, "apprise does not understand its url: see the wiki of apprise")
    with _log().of_this_thread() as lines:
        taken = service.notify(body=text, title=title, body_format="text")
    return Handed(HandOverOutcome.TAKEN) if taken else _why(lines)


def understood(url: str) -> bool:
    """Whether a URL is one of a service that apprise knows. Raises: MissingExtra: apprise is not installed."""
    return _service(url.replace(TO, "%2B15550100100")) is not None


def _service(url: str) -> Any:
    with _log().of_this_thread():
        apprise = _apprise()
        # a redirect could send it twice, or where nobody meant it to go
        asset = apprise.AppriseAsset(app_id="camphor", async_mode=False, http_redirects=False)
        return apprise.Apprise.instantiate(url, asset=asset)


def _encoded(address: str) -> str:
    """Percent-encoded, so that no address can change the URL that it is put into."""
    return "".join(
        chr(byte) if chr(byte).isascii() and chr(byte).isalnum() else f"%{byte:02X}" for byte in address.encode()
    )


_loading = threading.Lock()


def _apprise() -> Any:
    """The library with all its services, which it would otherwise load with the first message: 0.4 s of a processor."""
    with _loading, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of modules that its services use
        try:
            import apprise
        except ImportError as error:
            raise MissingExtra("apprise, which sends messages,", "health") from error
        apprise.Apprise.instantiate("json://localhost")
        return apprise


# What apprise's services log. requests, told to retry nothing, says "Max retries exceeded" only where connecting
# failed, so nothing was sent. The others are the system's words for a connection that was never there.
_NEVER_LEFT = re.compile(
    r"Max retries exceeded|Connection refused|No route to host|Network is unreachable|\[Errno -\d+\]|getaddrinfo", re.I
)
_ANSWERED = re.compile(r"error=(\d{3})\b")
_GATEWAY = (502, 504)  # a gateway that does not know what became of it behind


def _why(lines: list[str]) -> Handed:
    """What is to be thought of a message that did not certainly go, by the service's log."""
    text = "\n".join(lines)
    answered = _ANSWERED.search(text)
    if answered and int(answered[1]) not in _GATEWAY:
        return Handed(HandOverOutcome.REFUSED, f"the service answered with error {answered[1]}")
    if not answered and _NEVER_LEFT.search(text):
        return Handed(HandOverOutcome.REFUSED, "the service cannot be reached")
    told = f"a gateway answered with error {answered[1]}" if answered else "the service gave no answer in time"
    return Handed(HandOverOutcome.UNCLEAR, f"{told}: it may have taken the message")


class _Log(logging.Filter):
    """Takes what a service logs while it is given a message, and keeps it from all others: addresses are in it."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        kept: list[str] | None = getattr(self._lines, "kept", None)
        if kept is None:
            return record.levelno > logging.DEBUG  # somebody else's use of the library
        kept.append(record.getMessage())
        return False

    @contextmanager
    def of_this_thread(self) -> Iterator[list[str]]:
        self._lines.kept = kept = list[str]()
        try:
            yield kept
        finally:
            self._lines.kept = None


_watching = threading.Lock()


def _log() -> _Log:
    with _watching:  # a second filter, made by a second thread, would keep lines from the first one
        return _the_log()


@cache
def _the_log() -> _Log:
    log = _Log()
    for name in ("apprise", "urllib3.connectionpool"):
        logging.getLogger(name).addFilter(log)
    logging.getLogger("apprise").setLevel(logging.DEBUG)
    return log


FIRST_PAUSE, LONGEST_PAUSE = 2.0, 60.0
"""Seconds before the second try, and between late ones; each pause is twice the one before."""
MOST_ATTEMPTS = 60
"""Tries, which last about an hour."""
OLDEST = 24 * 3600.0
"""Seconds after which a message helps nobody any more."""
_AT_ONCE = 8


class Courier:
    """Hands over what is due.

    Args:
        clock: epoch seconds, the outbox's. sleep: waits for seconds. channels: of which messages. other_way: the same
        message by another way, for one that a service did not take; None for none.
    """

    def __init__(
        self,
        outbox: Outbox,
        delivery: Delivery,
        clock: Callable[[], float],
        sleep: Callable[[float], None] = time.sleep,
        channels: Collection[Channel] = TO_OTHERS,
        other_way: Callable[[MessageDraft], MessageDraft | None] = lambda _: None,
    ) -> None:
        self._outbox, self._delivery, self._clock, self._sleep = outbox, delivery, clock, sleep
        self._channels, self._other_way = channels, other_way

    def send_due(self) -> int:
        """One try of everything that is due, side by side, so that nobody waits for another's service.

        Returns:
            How many were tried.

        Raises:
            StoreError: the outbox cannot be read or written. What was handed over by then is not handed over again.
        """
        self._outbox.cut_off()
        self._outbox.give_up(OLDEST)
        due = self._outbox.due(self._channels)
        if len(due) < 2:
            return sum(map(self._try, due))
        with ThreadPoolExecutor(min(_AT_ONCE, len(due)), thread_name_prefix="courier") as threads:
            return sum(threads.map(self._try, due))

    def send_all(self, seconds: float) -> bool:
        """Tries until nothing waits any more, for about that long.

        Returns:
            Whether nothing waits. Raises: as `send_due`.
        """
        left = seconds
        while True:
            while self.send_due():
                pass
            pause = self._outbox.seconds_to_next(self._channels)
            if pause is None or pause > left:
                return pause is None
            left -= pause
            self._sleep(pause)

    def _try(self, message: Message) -> bool:
        """Whether it was this one's turn to hand the message over."""
        claimed = self._outbox.claim(message.id)
        if claimed is None:
            return False
        try:
            handed = self._delivery.hand_over(claimed)
        except Exception as error:  # a service's own fault must not keep the others from being told
            handed = Handed(HandOverOutcome.UNCLEAR, f"the delivery failed by itself ({type(error).__name__})")
        self._note(claimed, handed)
        if handed.outcome is not HandOverOutcome.TAKEN and claimed.draft.channel in TO_OTHERS:
            self._send_beside(claimed)
        return True

    def _send_beside(self, failed: Message) -> None:
        """Writes the message once more, by another way: told twice is better than too late."""
        other = self._other_way(failed.draft)
        if other is not None:
            self._outbox.write_beside(failed.id, other)

    def _note(self, message: Message, handed: Handed) -> None:
        if handed.outcome is HandOverOutcome.TAKEN:
            self._outbox.mark(message.id, MessageState.SENT)
        elif handed.outcome is HandOverOutcome.UNCLEAR and message.draft.channel is not Channel.NOTICE:
            self._outbox.mark(message.id, MessageState.UNCLEAR, handed.problem)
        elif message.attempts >= MOST_ATTEMPTS:
            self._outbox.mark(message.id, MessageState.GIVEN_UP, handed.problem)
        else:
            due = self._clock() + pause_after(message.attempts)
            self._outbox.mark(message.id, MessageState.WAITING, handed.problem, due)


def pause_after(attempts: int) -> float:
    """Seconds to wait after so many tries."""
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempts - 1, 10)))
