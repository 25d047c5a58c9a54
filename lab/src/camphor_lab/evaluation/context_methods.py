"""The context retrievers that are compared, by name (Context Tuning, Table 2, and some of ours).

lexical            BM25
semantic           cosine of texts by the table of word vectors that comes with camphor, without torch
finetuned          the same, fine-tuned on the training split
minilm             all-MiniLM-L6-v2 in place of the table (extra eval)
minilm-finetuned   the same, fine-tuned; its folder is to be given
cot                semantic search with the query and a language model's thought about it
cot-minilm         the same with all-MiniLM-L6-v2
cot-finetuned      the same with the fine-tuned table
cot-nearest        the same with thoughts about the nearest queries of the training split, without a language model
lambdamart-rrf     LambdaMART store by store, joined by reciprocal rank fusion
hybrid             its ranking and that of fine-tuned search, joined by reciprocal rank fusion
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from camphor.errors import UsageError
from camphor.retrieval.context.model import SHIPPED
from camphor.retrieval.context.rankers import ContextRetriever, LambdaMartRrf, Lexical
from camphor.retrieval.static import SentenceEncoder, StaticEncoder
from camphor_lab.context.embedded import TUNED, EmbeddedSearch, Fused
from camphor_lab.context.expansion import Expanded, Expander, NearestThoughts


@dataclass
class Parts:
    """What methods are made of; each part is made when a method first needs it.

    Args:
        expander: makes the expander of the methods with thoughts; None where there is no language model.
        examples: queries of the training split with their thoughts, for cot-nearest; None where there is none.
        tuned: the fine-tuned table's changes. sentence_encoder: the folder of a fine-tuned sentence encoder.
        ranker: the trained ranker's file.
    """

    expander: Callable[[], Expander] | None = None
    examples: Callable[[], Sequence[tuple[str, str]]] | None = None
    tuned: Path = TUNED
    sentence_encoder: Path | None = None
    ranker: Path = SHIPPED
    _made: dict[str, ContextRetriever] = field(default_factory=dict, init=False)

    @cached_property
    def thoughts(self) -> Expander:
        if self.expander is None:
            raise UsageError("no language model to think with: give one with --model")
        return self.expander()

    @property
    def nearest(self) -> Expander:
        if self.examples is None:
            raise UsageError("cot-nearest: give a folder with a training split")
        return NearestThoughts(StaticEncoder(), self.examples())

    def method(self, name: str) -> ContextRetriever:
        """The method of that name, made once.

        Raises:
            UsageError: there is none, or it needs a part that was not given.
            MissingExtra, ModelMissing: what it needs is not installed or not there.
        """
        if name not in METHODS:
            raise UsageError(f"There is no method {name[:80]!r}: choose from {', '.join((*METHODS, ALL))}")
        if name not in self._made:
            self._made[name] = METHODS[name](self)
        return self._made[name]

    def fine_tuned_sentence_encoder(self) -> ContextRetriever:
        if self.sentence_encoder is None:
            raise UsageError("minilm-finetuned: give the folder of the fine-tuned encoder with --encoder")
        return EmbeddedSearch(SentenceEncoder(folder=self.sentence_encoder))


METHODS: Mapping[str, Callable[[Parts], ContextRetriever]] = {
    "lexical": lambda parts: Lexical(),
    "semantic": lambda parts: EmbeddedSearch(StaticEncoder()),
    "minilm": lambda parts: EmbeddedSearch(SentenceEncoder(purpose="The method minilm")),
    "cot": lambda parts: Expanded(parts.method("semantic"), parts.thoughts),
    "cot-minilm": lambda parts: Expanded(parts.method("minilm"), parts.thoughts),
    "cot-nearest": lambda parts: Expanded(parts.method("semantic"), parts.nearest),
    "finetuned": lambda parts: EmbeddedSearch(StaticEncoder(changes=parts.tuned)),
    "minilm-finetuned": Parts.fine_tuned_sentence_encoder,
    "cot-finetuned": lambda parts: Expanded(parts.method("finetuned"), parts.thoughts),
    "lambdamart-rrf": lambda parts: LambdaMartRrf(parts.ranker),
    "hybrid": lambda parts: Fused(parts.method("lambdamart-rrf"), parts.method("finetuned")),
}
ALL = "all"
LIGHT = ("lexical", "semantic", "finetuned", "lambdamart-rrf", "hybrid")
"""Those that need neither an extra nor a language model: what is measured unless methods are named."""


def chosen(names: Sequence[str], parts: Parts) -> dict[str, ContextRetriever]:
    """The methods of these names in the order of `METHODS`; `LIGHT` for none, every one for `all`, less the fine-tuned
    sentence encoder where its folder was not given.

    Raises:
        As `Parts.method`.
    """
    if ALL in names:
        lacking = () if parts.sentence_encoder else ("minilm-finetuned",)
        names = [name for name in METHODS if name not in lacking]
    for name in names:
        if name not in METHODS:
            parts.method(name)
    return {name: parts.method(name) for name in METHODS if name in (names or LIGHT)}
