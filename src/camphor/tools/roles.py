"""What a parameter's value means, where its source does not say: by its format, its description and, in the apps of a
phone, its name."""

from __future__ import annotations

import re
from collections.abc import Collection

from camphor.tools.tool import Kind, Role

FORMATS = {
    "date-time": Role.TIME,
    "date": Role.DATE,
    "time": Role.CLOCK,
    "email": Role.EMAIL,
    "phone": Role.PHONE,
}
_NAMES = {
    "keyword": Role.KEYWORD,
    "query": Role.QUERY,
    "phone_number": Role.PHONE,
    "phone": Role.PHONE,
    "email": Role.EMAIL,
    "email_address": Role.EMAIL,
    "person": Role.PERSON,
    "time_range": Role.TIME_RANGE,
    "date_range": Role.TIME_RANGE,
}
_LENGTH_OF_TIME = re.compile(
    r"(?<![a-z:])m{1,2}:ss|\bduration\b|\bhow long\b|\bnumber of (minutes|hours|seconds|days)\b", re.IGNORECASE
)
_SAYS_TIME = re.compile(r"iso[ -]?8601|date[ -]?time|date and time|local time(?![ -]?zone)|hh:mm", re.IGNORECASE)
_SAYS_DATE = re.compile(
    r"yyyy-mm-dd(?!.*(hh|time))|^(?!.*time).*iso[ -]?8601 date|^(?!.*time).*date,? iso", re.IGNORECASE
)
_TIMES = re.compile(r"(^|_)(time|datetime|start|begin|end|until|by)$|_at$")
_DATES = re.compile(r"(^|_)(date|day)$")
# Names that hold a word of time and mean no moment: what a time is written in, how long something takes, how often.
_NO_MOMENT = re.compile(
    r"(^|_)(time_?zones?|tz|offset|formats?|units?|names?|labels?|times|count|limit|length|duration|runtime|interval|"
    r"(years|months|weeks|days|hours|minutes|mins|seconds|secs)|(a|per|each|every)_day)$"
    r"|(^|_)(lead|prep|preparation|cook|cooking|baking|travel|journey|commute|driving|walking|running|run|playing|wait|"
    r"waiting|response|screen|elapsed|total|lap|split|best)_time$"
)
# Nor do these, unless the description speaks of a time: a key, an amount or a doer after "by", a place after "at".
_SELDOM_MOMENT = re.compile(
    r"(^|_)(sort|order|group|filter|rank|search|split|divide|multiply|increase|decrease|raise|lower|reduce|extend|"
    r"change|shift|delay|ordered|sorted|grouped|created|added|edited|posted|signed|approved|assigned|requested|"
    r"recommended|owned|played|directed|produced|recorded|made|sent|written|sung|drawn|paid|given|taken|told)_by$"
    r"|(^|_)(look|looking|work|works|working|stay|stays|staying|live|lives|based|located|held)_at$"
)
_SAYS_NO_TIME = re.compile(
    r"^(?!.*\b(time|when|hour|clock|day|date|iso)\b).*\b(address|place|station|stop|city|town|street|location|page|"
    r"chapter|verse|line|row|point|level|mile|km|author|artist|writer|person|who|name of)\b",
    re.IGNORECASE,
)
_IDS = re.compile(r"(^|_)(id|no|number|code|ref)$")
# What people compose freely, although records have a field of that name too.
_COMPOSED = re.compile(
    r"(^|_)(text|message|content|contents|body|notes?|reason|remarks?|comments?|description|memo|question|answer|reply|"
    r"caption|front|back|details|summary|instructions|feedback|quantity|amount|size)$"
)
_CREATES = re.compile(r"^(add|create|new|make|post|write|log|record|register|draft)(_|$)")
_TITLES = re.compile(r"(^|_)(title|name|item|subject|task|product|label)$")


def infer(
    name: str,
    *,
    tool: str = "",
    kind: Kind = Kind.ACTION,
    form: str = "",
    description: str = "",
    fields: Collection[str] = (),
    by_name: bool = True,
) -> Role:
    """The role of a text parameter.

    Args:
        name: of the parameter. tool, kind: of the tool that has it. form: the schema's `format`.
        fields: names of the record fields of the tool's app: an acting tool's parameter called like one refers to a
            record, unless it is something people compose (a text, a reason), or the title of what the tool creates.
            A reading tool may look for anything: what it does not find does no harm.
        by_name: whether the name tells, as in the apps of a phone; of anybody's functions only what was written of a
            parameter does: a `person` may be a figure on a board.
    """
    if form in FORMATS:
        return FORMATS[form]
    if not by_name:
        return _moment("", description) or Role.TEXT
    if name in _NAMES:
        return _NAMES[name]
    if moment := _moment(name, description):
        return moment
    if name.endswith(("_phone", "_phone_number")):
        return Role.PHONE
    if name.endswith(("_email", "_email_address")):
        return Role.EMAIL
    if _IDS.search(name):
        return Role.REFERENCE
    if kind is Kind.CONTEXT or name not in fields or _COMPOSED.search(name):
        return Role.TEXT
    return Role.TEXT if _CREATES.search(tool) and _TITLES.search(name) else Role.REFERENCE


def _moment(name: str, description: str) -> Role | None:
    """Whether a parameter takes a day or a time."""
    if _NO_MOMENT.search(name) or _LENGTH_OF_TIME.search(description):
        return None
    if _DATES.search(name) or _SAYS_DATE.search(description):
        return Role.DATE
    if _SAYS_TIME.search(description):
        return Role.TIME
    if _SELDOM_MOMENT.search(name) or (_SAYS_NO_TIME.search(description) and "time" not in name):
        return None
    return Role.TIME if _TIMES.search(name) else None
