"""A hard SOS (section 3 and Appendix D.5, D.6): begun, brought up to date and ended without the language model.

    none or ended --start--> active --start, update--> active --end--> ended

Each step is one transaction: the state of the emergency and every message that it needs, or nothing. What was written
leaves the phone afterwards (`courier`), in this program or in one started after a crash. Start pressed again in an
active emergency begins no second one, and tells those who were told nothing so far; end without one ends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from camphor.device.apps.clinic import Clinic
from camphor.device.arithmetic import point_of
from camphor.device.health.emergencies import Emergencies, Sos
from camphor.device.health.outbox import Channel, Message, MessageDraft, MessageState, Outbox
from camphor.errors import StoreError
from camphor.health.emergency.plan import AlertPlan, AlertScene, Recipient, plan, recipient_of, scene_of
from camphor.health.emergency.wording import end_text, start_text, update_text

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.device.health.database import HealthDatabase

_DRY = "sos-dry-run"
_MAY_KNOW = (MessageState.SENDING, MessageState.SENT, MessageState.UNCLEAR)


@dataclass(frozen=True)
class SosReport:
    """What a step did, or would do.

    Args:
        sos: the emergency; None where there is none, and in a dry run of its start. messages: what this step wrote; of
        a status, all of the emergency. drafts: in a dry run, what would be written. problems: sentences for the person.
        withdrawn: how many messages were taken back before they went out.
    """

    sos: Sos | None
    messages: tuple[Message, ...] = ()
    drafts: tuple[MessageDraft, ...] = ()
    problems: tuple[str, ...] = ()
    withdrawn: int = 0


class Emergency:
    """The emergency of a phone's owner.

    Args:
        clock: epoch seconds. channels: ways for which a delivery is configured; messages for others are kept.
    """

    def __init__(
        self,
        device: Device,
        database: HealthDatabase,
        clock: Callable[[], float],
        channels: frozenset[Channel] = frozenset(),
    ) -> None:
        self._device, self._database, self._channels = device, database, channels
        self.outbox, self._all = Outbox(database, clock), Emergencies(database)

    def status(self) -> SosReport:
        """The active emergency, or the last one, with its messages. Raises: StoreError."""
        self.outbox.cut_off()
        sos = self._all.last()
        return SosReport(sos, self.outbox.messages(sos.thread) if sos else ())

    def start(self, dry_run: bool = False) -> SosReport:
        """Begins one and writes the messages; of an active one, to those alone who were told nothing so far.

        Raises:
            StoreError: nothing was written.
        """
        scene = scene_of(self._device)
        planned = plan(scene, self._channels)
        with self._database.transaction():
            active = self._all.active()
            if active is not None:
                return self._again(scene, active, dry_run)
            if dry_run:
                return SosReport(None, (), tuple(self._first(scene, planned, _DRY, "start")), planned.problems)
            sos = self._all.begin(scene.at.isoformat(timespec="seconds"), scene.location, planned.ambulance)
            messages = self._write(self._first(scene, planned, sos.thread, "start"))
        return SosReport(sos, messages, problems=(*planned.problems, *self._assign(planned)))

    def _again(self, scene: AlertScene, sos: Sos, dry_run: bool) -> SosReport:
        """Start pressed again: a delivery was set up since, a contact was added, or a message was given up."""
        told = f"An SOS is active since {sos.started.replace('T', ' ')}, so no second one is begun"
        planned = plan(scene, self._channels, sos.ambulance or None)
        drafts = tuple(self._news(scene, planned, sos, f"again-{sos.updates + 1}", "", moved=False))
        problems = (told, *planned.problems)
        if dry_run:
            return SosReport(sos, (), drafts, problems)
        if drafts:
            sos = self._all.change(sos, sos.location, planned.ambulance)  # the place that the others were told
            self._write(drafts)
            problems = (*problems, *self._assign(planned))
        return SosReport(sos, self.outbox.messages(sos.thread), problems=problems)

    def update(self, note: str = "", dry_run: bool = False) -> SosReport:
        """Tells everybody where the person is now, if that changed, and a note; who is new hears of it all.

        Raises:
            StoreError: nothing was written.
        """
        scene = scene_of(self._device)
        with self._database.transaction():
            sos = self._all.active()
            if sos is None:
                return SosReport(None, problems=("No SOS is active: begin one with  camphor health sos start",))
            planned = plan(scene, self._channels, sos.ambulance or None)
            kind, moved = f"update-{sos.updates + 1}", point_of(scene.location) != point_of(sos.location)
            drafts = tuple(self._news(scene, planned, sos, kind, note.strip(), moved))
            if dry_run:
                return SosReport(sos, (), drafts, planned.problems)
            if not drafts:
                told = "Nothing changed since the last message: move, or say what is new"
                return SosReport(sos, problems=(told, *planned.problems))
            sos = self._all.change(sos, scene.location, planned.ambulance)
            messages = self._write(drafts)
        return SosReport(sos, messages, problems=(*planned.problems, *self._assign(planned)))

    def end(self, dry_run: bool = False) -> SosReport:
        """Ends it: takes back what has not gone out, and tells those who may know of it.

        Raises:
            StoreError: nothing was written.
        """
        scene = scene_of(self._device)
        with self._database.transaction():
            sos = self._all.active()
            if sos is None:
                return SosReport(None, problems=("No SOS is active: there is nothing to end",))
            drafts = tuple(self._last(scene, sos))
            if dry_run:
                return SosReport(sos, (), drafts)
            withdrawn = self.outbox.withdraw(sos.thread)
            sos = self._all.end(sos, scene.at.isoformat(timespec="seconds"))
            messages = self._write(drafts)
        return SosReport(sos, messages, problems=self._noted(Clinic.release_ambulances), withdrawn=withdrawn)

    # the ambulance, as the phone's apps know it

    def _assign(self, planned: AlertPlan) -> tuple[str, ...]:
        number = planned.ambulance.get("phone_no")
        return self._noted(lambda clinic: clinic.assign_ambulance(str(number))) if number else ()

    def _noted(self, change: Callable[[Clinic], object]) -> tuple[str, ...]:
        """Changes the clinic's records; where that fails, a problem: the messages are written already."""
        if Clinic.name not in self._device.apps:
            return ()
        try:
            with self._device.changing(Clinic) as clinic:
                change(clinic)
        except StoreError as error:
            return (f"The messages are written, but the phone's list of ambulances is as it was: {error}",)
        return ()

    # messages

    def _first(self, scene: AlertScene, planned: AlertPlan, thread: str, kind: str) -> Iterator[MessageDraft]:
        for each in planned.recipients:
            yield _draft(each, thread, kind, start_text(scene, each.role))

    def _news(
        self, scene: AlertScene, planned: AlertPlan, sos: Sos, kind: str, note: str, moved: bool
    ) -> Iterator[MessageDraft]:
        known = self._recipients(sos, (*_MAY_KNOW, MessageState.WAITING, *self._kept()))
        # those who were told before are told even where they are no contacts any more
        for each in {**known, **{each.key: each for each in planned.recipients}}.values():
            if each.key not in known:
                yield _draft(each, sos.thread, kind, start_text(scene, each.role))
            elif note or moved:
                yield _draft(each, sos.thread, kind, update_text(scene, each.role, note, moved))

    def _last(self, scene: AlertScene, sos: Sos) -> Iterator[MessageDraft]:
        for each in self._recipients(sos, (*_MAY_KNOW, *self._kept())).values():
            yield _draft(each, sos.thread, "end", end_text(scene, each.role))

    def _kept(self) -> tuple[MessageState, ...]:
        # with a delivery configured since, whoever's message was only kept has not been told anything
        return () if self._channels else (MessageState.KEPT,)

    def _recipients(self, sos: Sos, states: tuple[MessageState, ...]) -> dict[str, Recipient]:
        """Who has a message in one of the states, by key, in the order of the messages."""
        found = (recipient_of(each.draft) for each in self.outbox.messages(sos.thread) if each.state in states)
        return {each.key: each for each in found}

    def _write(self, drafts: Iterator[MessageDraft] | tuple[MessageDraft, ...]) -> tuple[Message, ...]:
        messages: list[Message] = []
        drafts = tuple(drafts)
        for draft in drafts:
            self.outbox.supersede(draft)
            state = MessageState.WAITING if draft.channel in self._channels else MessageState.KEPT
            messages += self.outbox.write([draft], state)
        return tuple(messages)


def _draft(to: Recipient, thread: str, kind: str, text: str) -> MessageDraft:
    return MessageDraft(f"{thread}:{kind}:{to.key}", thread, to.role, to.name, to.channel, to.address, text)
