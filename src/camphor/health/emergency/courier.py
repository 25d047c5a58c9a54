"""Brings messages from the outbox to the delivery: side by side, tried again with back-off, each taken at most once."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor

from camphor.device.health.outbox import TO_OTHERS, Channel, Draft, Message, MessageState, Outbox
from camphor.health.emergency.delivery import Delivery, Handed, Outcome

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
        other_way: Callable[[Draft], Draft | None] = lambda _: None,
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
            handed = Handed(Outcome.UNCLEAR, f"the delivery failed by itself ({type(error).__name__})")
        self._note(claimed, handed)
        if handed.outcome is not Outcome.TAKEN and claimed.draft.channel in TO_OTHERS:
            self._send_beside(claimed)
        return True

    def _send_beside(self, failed: Message) -> None:
        """Writes the message once more, by another way: told twice is better than too late."""
        other = self._other_way(failed.draft)
        if other is not None:
            self._outbox.write_beside(failed.id, other)

    def _note(self, message: Message, handed: Handed) -> None:
        if handed.outcome is Outcome.TAKEN:
            self._outbox.mark(message.id, MessageState.SENT)
        elif handed.outcome is Outcome.UNCLEAR and message.draft.channel is not Channel.NOTICE:
            self._outbox.mark(message.id, MessageState.UNCLEAR, handed.problem)
        elif message.attempts >= MOST_ATTEMPTS:
            self._outbox.mark(message.id, MessageState.GIVEN_UP, handed.problem)
        else:
            due = self._clock() + pause_after(message.attempts)
            self._outbox.mark(message.id, MessageState.WAITING, handed.problem, due)


def pause_after(attempts: int) -> float:
    """Seconds to wait after so many tries."""
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempts - 1, 10)))
