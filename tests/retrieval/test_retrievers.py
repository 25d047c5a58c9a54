from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.errors import MissingExtra, UsageError
from camphor.retrieval.retrievers import RETRIEVERS, Dense, Hybrid, Lexical, Scores, describe, rank, retriever_named
from camphor.retrieval.static import SentenceEncoder
from camphor.tools.tool import Kind, Parameter, Role, Tool, Toolbox
from camphor.types import Agent
from camphor_lab.evaluation.retrieval import restrict


def tool(name: str, description: str, agent: Agent = Agent.TASK, *parameters: Parameter) -> Tool:
    return Tool(name, description, parameters, Kind.ACTION if agent is Agent.TASK else Kind.CONTEXT, agent)


TOOLS = (
    tool("play_music", "Play a song or an album.", Agent.TASK, Parameter("title", description="what to listen to")),
    tool("send_mail", "Send an e-mail.", Agent.TASK, Parameter("receiver", role=Role.EMAIL), Parameter("content")),
    tool("create_reminders", "Set a reminder at a time.", Agent.TASK, Parameter("time", role=Role.TIME)),
    tool("call_contacts", "Phone somebody.", Agent.TASK, Parameter("person", role=Role.PERSON)),
)
LOOK_UPS = (
    tool("get_notes", "Notes with a keyword.", Agent.CONTEXT),
    tool("get_calendar_event", "Events of the calendar.", Agent.CONTEXT),
)
CLOCK = tool("get_time_information", "The time.", Agent.DEVICE)
BOX = Toolbox([CLOCK, *LOOK_UPS, *TOOLS])


class Fixed:
    """Ranks by a list of names."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        return np.array([-self.names.index(tool.name) for tool in tools], dtype=np.float32)


class Indifferent:
    """Finds every tool as good as any other."""

    def scores(self, query: str, tools: Sequence[Tool]) -> Scores:
        return np.zeros(len(tools), dtype=np.float32)


def names(tools: Sequence[Tool]) -> list[str]:
    return [each.name for each in tools]


def test_words_shared_with_a_definition_rank_it_first() -> None:
    assert names(rank(Lexical(), "set a reminder for tonight", TOOLS))[0] == "create_reminders"
    assert names(rank(Lexical(), "what shall I LISTEN to", TOOLS))[0] == "play_music"  # of a parameter's meaning


@pytest.mark.parametrize("query", ["", "the of and", "zzz qqq"])
def test_a_query_without_a_known_word_says_nothing(query: str) -> None:
    assert Lexical().scores(query, TOOLS).tolist() == [0, 0, 0, 0]


@given(st.permutations(TOOLS), st.text(max_size=20))
def test_the_order_given_decides_nothing(tools: list[Tool], query: str) -> None:
    assert rank(Indifferent(), query, tools) == rank(Indifferent(), query, TOOLS)
    assert rank(Lexical(), query, tools) == rank(Lexical(), query, TOOLS)


def test_equal_fits_are_not_always_in_one_order() -> None:
    assert len({names(rank(Indifferent(), f"query {n}", TOOLS))[0] for n in range(40)}) == len(TOOLS)


def test_no_tools_rank_as_no_tools() -> None:
    assert rank(Lexical(), "anything", ()) == ()
    assert rank(Dense(), "anything", ()) == ()


def test_embeddings_find_what_shares_no_word() -> None:
    wanted = "put on some tunes"
    assert not Lexical().scores(wanted, TOOLS).any()
    assert names(rank(Dense(), wanted, TOOLS[::-1]))[0] == "play_music"


def test_fusion_prefers_what_both_rank_well() -> None:
    first = Fixed("play_music", "send_mail", "create_reminders", "call_contacts")
    second = Fixed("call_contacts", "send_mail", "create_reminders", "play_music")
    # second twice: 2/62 = 0.03226; first and last: 1/61 + 1/64 = 0.03202; third twice: 2/63 = 0.03175
    ranked = names(rank(Hybrid(first, second), "", TOOLS))
    assert (ranked[0], set(ranked[1:3]), ranked[3]) == (
        "send_mail",
        {"play_music", "call_contacts"},
        "create_reminders",
    )


def test_fusion_does_not_hear_who_has_nothing_to_say() -> None:
    order = Fixed("send_mail", "call_contacts", "play_music", "create_reminders")
    assert rank(Hybrid(order, Indifferent()), "x", TOOLS) == rank(order, "x", TOOLS)


@given(st.text(max_size=60), st.permutations(TOOLS))
def test_ranking_is_a_permutation(query: str, tools: list[Tool]) -> None:
    assert sorted(names(rank(Lexical(), query, tools))) == sorted(names(tools))


def test_the_words_of_a_name_are_read() -> None:
    assert describe(CLOCK) == "get time information. The time."


def test_restriction_keeps_the_best_of_each_dynamic_agent_and_all_of_the_others() -> None:
    order = Fixed("get_calendar_event", "get_notes", "call_contacts", "send_mail", "play_music", "create_reminders")
    kept = restrict(BOX, "anything", 1, order)
    assert names(list(kept)) == ["get_time_information", "get_calendar_event", "call_contacts"]
    two = restrict(BOX, "anything", 2, order)
    assert names(two.of(Agent.TASK)) == ["send_mail", "call_contacts"]  # in the toolbox's order


def test_restriction_to_more_than_there_are_keeps_all() -> None:
    assert names(list(restrict(BOX, "x", 50, Lexical()))) == names(list(BOX))


def test_restriction_to_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="expected 1 or more"):
        restrict(BOX, "x", 0, Lexical())


def test_retrievers_are_made_by_name() -> None:
    for name in RETRIEVERS:
        assert set(names(rank(retriever_named(name), "call mum", TOOLS))) == set(names(TOOLS))
    with pytest.raises(UsageError, match="lexical, dense, hybrid"):
        retriever_named("psychic")


def test_a_missing_encoder_is_named_at_once() -> None:
    with pytest.raises(MissingExtra, match=r"lab\[eval\]"):
        SentenceEncoder(weights="no_such_package_of_weights")
