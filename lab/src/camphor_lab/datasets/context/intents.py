"""What people want when they do not say what they mean: the intents, one line each (`bank/README.md` explains them).

An intent names the kinds of threads it can be about, when it is asked, what it means then, and the tools that fit, the
plan's first. Words are in the bank.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from camphor_lab.datasets.context import finders as find
from camphor_lab.datasets.context.finders import Finder
from camphor_lab.datasets.context.lives import Life, Thread

ANY = "any"
Asked = Callable[[Life, Thread, Random], datetime | None]
_HOURS = (7, 7, 8, 8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21, 21, 22)
_AT_ONCE = 5  # minutes after a use in which the person is surely awake
_WAKING = (6.5, 23.5)  # hours


# ---- when people ask: moments of a life's last week at which a query about a thread is plausible ----


def _inside(life: Life, moment: datetime) -> datetime | None:
    return moment if life.window <= moment <= life.end else None


def _waking(moment: datetime) -> bool:
    return _WAKING[0] <= moment.hour + moment.minute / 60 < _WAKING[1]


def _from(moments: list[datetime], rng: Random) -> datetime | None:
    return rng.choice(moments) if moments else None


def awake(life: Life, thread: Thread, rng: Random) -> datetime | None:
    """Some waking hour."""
    days = (life.end - life.window).days
    day = life.end - timedelta(days=rng.randrange(days + 1))
    moment = day.replace(hour=rng.choice(_HOURS), minute=rng.randrange(60), second=0, microsecond=0)
    return _inside(life, moment)


def before_event(least: float, most: float) -> Asked:
    """So many minutes before one of the thread's events, negative for after its begin."""

    def propose(life: Life, thread: Thread, rng: Random) -> datetime | None:
        events = [life.items[item] for item in thread.items if life.items[item].role == "event"]
        starts = [datetime.fromisoformat(str(event.fields["start"])) for event in events]
        moments = [start - timedelta(minutes=round(rng.uniform(least, most))) for start in starts]
        return _from([moment for moment in moments if _inside(life, moment) and _waking(moment)], rng)

    return propose


def at_use(least: float, most: float, *roles: str) -> Asked:
    """So many minutes after a use of one of the thread's items, negative for before it; long after, only if awake."""

    def propose(life: Life, thread: Thread, rng: Random) -> datetime | None:
        items = [item for item in thread.items if not roles or life.items[item].role in roles]
        uses = [use.at for item in items for use in life.used(item, life.end + timedelta(days=1))]
        moments = [at + timedelta(minutes=round(rng.uniform(least, most), 1)) for at in uses]
        inside = [moment.replace(second=0) for moment in moments if _inside(life, moment)]
        return _from([moment for moment in inside if most <= _AT_ONCE or _waking(moment)], rng)

    return propose


def at_due(least: float, most: float) -> Asked:
    """So many minutes after one of the thread's reminders is due, negative for before."""

    def propose(life: Life, thread: Thread, rng: Random) -> datetime | None:
        dues = [due for item in thread.items for due in life.items[item].dues]
        moments = [due + timedelta(minutes=round(rng.uniform(least, most))) for due in dues]
        inside = [moment for moment in moments if _inside(life, moment) and _waking(moment)]
        return _from(inside, rng)

    return propose


# ---- intents ----


@dataclass(frozen=True)
class QueryIntent:
    """One intent.

    Args:
        kinds: of threads; ("any",) for what is about the whole life.
        tools: that fit, in order; the first is the plan's.
        find: what it means; asked: when.
        slots: words that the query must have, and the parameter that takes each.
        text: the parameter that takes the marked words of the query; "" for none.
        usage: whether usage alone decides between items that the words fit.
        away: whether the person is still on the way to what is meant.
    """

    name: str
    kinds: tuple[str, ...]
    tools: tuple[str, ...]
    find: Finder
    asked: Asked = awake
    slots: tuple[tuple[str, str], ...] = ()
    text: str = ""
    usage: bool = False
    away: bool = False


def _i(
    name: str, kinds: str, tools: str, finder: Finder, asked: Asked = awake, *, slot: tuple[str, str] | None = None,
    text: str = "", usage: bool = False, away: bool = False,
) -> QueryIntent:  # fmt: skip
    slots = (slot,) if slot else ()
    return QueryIntent(name, tuple(kinds.split()), tuple(tools.split()), finder, asked, slots, text, usage, away)


_CLASSES = "lesson language_class book_club"
_MEETINGS = "client_meeting interview"
_EVENINGS = "concert date_night"
_HABITS = "commute_music workout_music bedtime_music focus_music"
_SONGS = f"{_HABITS} favourite_album"
_NAGS = "medication chore bill shopping school_run pet gym_class birthday"
_PLACED = f"{_CLASSES} volunteer_shift {_MEETINGS} appointment {_EVENINGS} house_hunt"
_LATE = f"{_CLASSES} volunteer_shift standup {_MEETINGS} appointment date_night house_hunt"

_EVENTS = (
    _i("when_next", f"{_PLACED} gym_class standup trip pet repair birthday match",
       "get_event_details list_events find_reminders", find.per_kind(find.event(), birthday=find.event("reminder"))),
    _i("where_next", _PLACED, "get_directions get_event_details",
       find.event(source="location", argument="destination", within=3), before_event(15, 120)),
    _i("who_there", f"{_CLASSES} volunteer_shift {_MEETINGS} {_EVENINGS} house_hunt", "get_event_details",
       find.event("mail", person=True)),
    _i("late", _LATE, "message_participants text_contact call_contact",
       find.event(begun=16, within=0.4, person=True), before_event(-15, 20), text="message", away=True),
    _i("excuse", f"{_CLASSES} volunteer_shift standup client_meeting date_night", "message_participants text_contact",
       find.event(within=14, person=True), before_event(60, 700), text="message"),
    _i("cancel", f"{_CLASSES} gym_class volunteer_shift client_meeting appointment {_EVENINGS} house_hunt pet",
       "cancel_event message_participants", find.event("reminder")),
    _i("move", f"lesson {_MEETINGS} appointment date_night house_hunt pet repair",
       "reschedule_event message_participants get_event_details", find.event(), slot=("moment", "start")),
    _i("remind_before", f"{_PLACED} gym_class trip pet", "add_reminder get_event_details",
       find.event(argument="content"), slot=("ahead", "time")),
    _i("invite", f"lesson book_club gym_class {_EVENINGS} birthday trip match", "invite_to_event message_participants",
       find.event(), slot=("relation", "person")),
    _i("prepare", f"{_CLASSES} standup {_MEETINGS} trip project hobby", "open_note search_notes get_event_details",
       find.with_event("note")),
    _i("pack", "gym_class trip birthday shopping", "find_reminders get_event_details",
       find.reminder(240, 2, argument="keyword", with_event=True)),
    _i("today", ANY, "list_events find_reminders", find.day(0)),
    _i("tomorrow", ANY, "list_events find_reminders", find.day(1)),
)  # fmt: skip

_CALLS = (
    _i("call_about", "lesson volunteer_shift appointment repair house_hunt pet school_run client_meeting",
       "call_contact text_contact get_call_history", find.call()),
    _i("ring_back", "missed_call", "return_missed_call call_contact list_missed_calls", find.call(missed=True),
       at_use(5, 900, "missed")),
    _i("text_missed", "missed_call", "text_contact return_missed_call", find.call(missed=True),
       at_use(5, 900, "missed"), text="message"),
    _i("call_usual", "family_call", "call_contact start_video_call", find.habitual("phone", "contact", "call"),
       at_use(-15, -1, "call"), usage=True),
    _i("video_usual", "family_call", "start_video_call call_contact", find.call()),
)  # fmt: skip

_MUSIC = (
    _i("play_usual", _SONGS, "play_song resume_playback queue_song", find.habitual("music", "title", "song"),
       at_use(-12, -1, "song"), usage=True),
    _i("play_habit", _HABITS, "play_song queue_song resume_playback", find.song("song")),
    _i("play_before", _HABITS, "play_song get_listening_history", find.song("old_song", moved=True)),
    _i("queue_habit", _HABITS, "queue_song play_song", find.song("song")),
    _i("more_like", _HABITS, "play_genre play_artist", find.song("song", source="genre", argument="genre")),
    _i("album", "favourite_album", "play_album play_artist play_song",
       find.song("song", source="album", argument="album")),
    _i("more_by", "favourite_album concert", "play_artist play_album play_song",
       find.song("song", source="artist", argument="artist", also="event")),
    _i("like_this", _SONGS, "like_song add_song_to_playlist", find.playing(), at_use(0.5, 5), usage=True),
    _i("keep_this", _SONGS, "add_song_to_playlist like_song", find.playing(), at_use(0.5, 5),
       slot=("playlist", "playlist"), usage=True),
    _i("what_plays", _SONGS, "get_song_details get_listening_history", find.playing(), at_use(0.5, 5), usage=True),
    _i("go_on", _SONGS, "resume_playback play_song",
       find.playing("", timedelta(hours=5), timedelta(minutes=10)), at_use(12, 280), usage=True),
)  # fmt: skip

_NOTES = (
    _i("open_note", "diet recipe shopping trip project hobby lesson language_class", "open_note search_notes",
       find.latest("note")),
    _i("usual_note", "diet recipe shopping lesson language_class standup project",
       "open_note search_notes list_recent_notes", find.per_kind(find.habitual("notes", "title", "note"),
       shopping=find.habitual("notes", "title", "note", place="shop")), at_use(-8, -1, "note"),
       usage=True),
    _i("add_grocery", "shopping", "append_to_note add_reminder", find.latest("note"), slot=("grocery", "text")),
    _i("add_packing", "trip", "append_to_note add_reminder", find.with_event("note"), slot=("packing", "text")),
    _i("add_tweak", "recipe", "append_to_note open_note", find.latest("note"), slot=("tweak", "text")),
    _i("pin", "diet shopping project recipe language_class", "pin_note open_note", find.latest("note")),
    _i("share_with", "project trip", "share_note forward_email", find.latest("note", person="copied")),
)  # fmt: skip

_MAIL = (
    _i("reply", "unanswered_mail", "reply_to_email write_email read_email",
       find.latest("mail", argument="subject", person="met"), text="body"),
    _i("reply_work", "project interview client_meeting house_hunt", "reply_to_email write_email read_email",
       find.latest("mail", argument="subject", with_event=True, person="met"), text="body"),
    _i("read_mail",
       "order trip concert date_night client_meeting interview project house_hunt bill volunteer_shift",
       "read_email search_emails", find.with_event("mail", argument="subject")),
    _i("forward", "trip concert", "forward_email share_note",
       find.latest("mail", argument="subject", person="copied")),
    _i("flag", "unanswered_mail project", "flag_email add_reminder", find.latest("mail", argument="subject")),
    _i("put_away", "order", "archive_email delete_email", find.latest("mail", argument="subject")),
)  # fmt: skip

_REMINDERS = (
    _i("done", _NAGS, "complete_reminder delete_reminder find_reminders", find.reminder(2, 10), at_due(-30, 240)),
    _i("snooze", _NAGS, "snooze_reminder find_reminders", find.reminder(0.5, 3), at_due(-15, 60),
       slot=("moment", "time")),
    _i("drop", "chore medication school_run pet shopping", "delete_reminder complete_reminder",
       find.reminder(168, 24)),
    _i("due", "bill project chore medication birthday", "find_reminders list_events",
       find.per_kind(find.reminder(24 * 30, 12, argument="keyword"),
                     bill=find.reminder(24 * 30, 12, argument="keyword", also=("mail",)))),
    _i("left_today", ANY, "find_reminders list_events", find.open_today),
)  # fmt: skip

_SEARCHES = (
    _i("again_search", "hobby diet trip repair house_hunt pet order interview appointment language_class",
       "search_web get_search_history", find.latest("search", argument="query")),
    _i("past_searches", "hobby birthday trip house_hunt date_night", "get_search_history search_web",
       find.latest("search", argument="keyword", every=True)),
    _i("before_hobby", "hobby", "search_web get_search_history", find.latest("old_search", argument="query")),
    _i("usual_search", "daily_search match", "search_web search_news get_search_history",
       find.habitual("google", "query", "search", "result"), at_use(-10, -1, "search", "result"), usage=True),
    _i("score", "match", "search_news search_web", find.result(within=80)),
    _i("follow", "match", "follow_topic search_news",
       find.named("search", "result", attribute="team", argument="topic")),
    _i("gift", "birthday", "search_shopping search_web", find.with_event("search", argument="query")),
    _i("hide_search", "birthday date_night", "delete_search get_search_history",
       find.latest("search", argument="query", with_event=True)),
    _i("how_to", "recipe hobby", "search_videos search_web",
       find.per_kind(find.latest("note", argument="query"),
                     hobby=find.latest("search", argument="query", only="shown"))),
    _i("pictures", "trip hobby house_hunt", "search_images search_web",
       find.per_kind(find.latest("search", argument="query", only="pictured"),
                     trip=find.named("event", attribute="where", argument="query"))),
    _i("nearby", "date_night repair pet", "search_nearby search_web",
       find.per_kind(find.trade("query", "search"),
                     date_night=find.latest("search", argument="query", only="local"))),
)  # fmt: skip

INTENTS = {one.name: one for one in (*_EVENTS, *_CALLS, *_MUSIC, *_NOTES, *_MAIL, *_REMINDERS, *_SEARCHES)}
"""By name."""
