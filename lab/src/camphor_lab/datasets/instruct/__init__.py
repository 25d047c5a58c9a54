"""Samples for functions of your own, written by a language model and filtered: DroidCall's pipeline (section 3.2).

    import os
    from camphor_lab.datasets.instruct import Collector, Plan
    from camphor.models.openai import OpenAIModel
    from camphor.tools.listing import read_tools

    tools = read_tools("functions.py")
    model = OpenAIModel(os.environ["MODEL_SERVER"], "some-model", options={"temperature": 1.0})
    plan = Plan(count=4, test=1, complex=0.0, requests=2)
    told = Collector(tools, model, "samples", plan).run()
    print(told.train, told.test, dict(told.refused))

Samplers draw functions and examples from any sources (`sampler`), a prompt asks for samples (`prompts`),
several requests are on their way at a time (`asking`), filters let through what holds (`filters`, by way of
`inferable`), and the collector runs it all and resumes after a crash (`collector`,
`ledger`). A filter of your own is a function from a draft to a draft, several, or a `DraftRefused`; put it beside
`usual_filters()`. `camphor_lab.datasets.similarity.split` holds out a test set.
"""

from camphor_lab.datasets.instruct.collector import Collected, Collector, Plan
from camphor_lab.datasets.instruct.filters import (
    Chain,
    Draft,
    DraftRefused,
    FormatFilter,
    InferableFilter,
    JsonExtractor,
    PlainQueryFilter,
    SimilarityFilter,
    usual_filters,
)
from camphor_lab.datasets.instruct.sampler import DrawingStrategy, JsonLines, Sampler, Source

__all__ = [
    "Chain",
    "Collected",
    "Collector",
    "Draft",
    "DraftRefused",
    "DrawingStrategy",
    "FormatFilter",
    "InferableFilter",
    "JsonExtractor",
    "JsonLines",
    "PlainQueryFilter",
    "Plan",
    "Sampler",
    "SimilarityFilter",
    "Source",
    "usual_filters",
]
