"""What a dataset of implicit queries holds, beside the paper's figures (Context Tuning, Appendix A.1 and Table 4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from camphor_lab.datasets.context.intents import INTENTS
from camphor_lab.datasets.context.present import document_at, records_of
from camphor_lab.datasets.context.samples import ContextSample
from camphor_lab.datasets.context.toolbox import STORES

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
# Words that stand in nearly any sentence: they find nothing.
_FUNCTION = frozenset(
    _WORD.findall("""a about after again all already also always am an and any anything are as at away back be because
    been before being both but by can can't come could did do does doing don't done down each else
    even ever every few first for
    from get gets getting give go goes going gone got had has have he her here hers him his how i i'd i'll i'm i've if
    in into is it it's its just keep know last later least less let let's like long look made make many may me might
    mine more most much must my myself need never new next no not nothing now of off ok okay on once one ones only or
    other others our out over own please pls plz put really right same say says see she should show so some somebody
    someone something still such sure take tell than thank thanks that that's the their them then there there's these
    they thing things this those though thx till time to today tomorrow too two under until up upon us use usual very
    want wanted wants was way we we're well were what what's when when's where where's whether which while who who's
    whole whose why will with without won't would yes yet you your""")
)


def content_words(text: str) -> set[str]:
    """The words of a text that could find something, without a plural's s."""
    return {_stem(word) for word in _WORD.findall(text.lower()) if len(word) > 2 and word not in _FUNCTION}


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def shared_words(sample: ContextSample, document: Mapping[str, Any]) -> set[str]:
    """Content words that a query has in common with its gold items' texts."""
    asked = content_words(sample.query)
    texts = (_text(records_of(document, ref.app)[ref.ordinal]) for ref in sample.context)
    return set().union(*(asked & content_words(text) for text in texts))


def _text(record: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in record.values() if isinstance(value, str | list))


def figures(samples: Sequence[ContextSample], devices: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Counts and shares of a split.

    Args:
        samples: of the split. devices: every persona's whole device document, by the path that samples name.
    """
    shared = sum(bool(shared_words(one, document_at(devices[one.device], one.now, one.place))) for one in samples)
    count = max(len(samples), 1)
    used = {one.device for one in samples}
    usage = sum(INTENTS[one.intent].usage for one in samples)
    return {
        "queries": len(samples),
        "personas": len(used),
        "distinct_queries": len({one.query.casefold() for one in samples}),
        "gold_items": round(sum(len(one.context) for one in samples) / count, 2),
        "several_gold_items": round(sum(len(one.context) > 1 for one in samples) / count, 3),
        "share_a_content_word": round(shared / count, 3),
        "by_usage_alone": round(usage / count, 3),
        "plan_tools": len({one.tools[0] for one in samples}),
        "intents": dict(Counter(one.intent for one in samples).most_common()),
        "threads": dict(Counter(one.thread for one in samples).most_common()),
        "items": items_per_app([devices[path] for path in sorted(used)]),
    }


def items_per_app(documents: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The average number of items of each app."""
    count = max(len(documents), 1)
    return {app: round(sum(len(records_of(one, app)) for one in documents) / count, 2) for app in STORES}
