from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llguidance import LLTokenizer

from camphor.tools.calls import parse_calls, render_calls
from camphor.tools.grammar import TimeWords, agent_grammar, call_list_grammar, line_grammar
from camphor.tools.invoke import check
from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.types import Agent, Call
from tests.doubles.vocabulary import Vocabulary, accepts, follow, start

BYTES = LLTokenizer("byte")


@pytest.fixture(scope="module")
def tokens() -> Iterator[LLTokenizer]:
    vocabulary = Vocabulary()
    yield vocabulary.tokenizer
    vocabulary.close()


def tool(name: str, *parameters: Parameter) -> Tool:
    return Tool(name, "", parameters, Kind.ACTION, Agent.TASK)


LOOK = tool("get_contacts_information", Parameter("keyword", role=Role.KEYWORD))
SEND = tool("send_imessage_message", Parameter("receiver", role=Role.PHONE), Parameter("content"))
CANCEL = tool("cancel_calendar_event", Parameter("event_title", role=Role.REFERENCE))
ALL = tool(
    "set_all",
    Parameter("a", required=False),
    Parameter("n", "integer", minimum=1, maximum=60),
    Parameter("e", required=False, enum=("on", 'half "on"', 3)),
    Parameter("f", "number", required=False),
    Parameter("b", "boolean", required=False),
    Parameter("l", "array", required=False, items="string"),
    Parameter("u", "integer|string", required=False),
)


def one(name: str, **arguments: Any) -> str:
    return render_calls([Call(name, arguments)])


def reference(value: str, said: str = "", choices: tuple[str, ...] = ()) -> bool:
    grammar = call_list_grammar([CANCEL], choices={Role.REFERENCE: choices}, said=said)
    return accepts(BYTES, grammar, one("cancel_calendar_event", event_title=value))


# Values that a call of `ALL` may hold, as calls are written to be copied and computed with: texts without control
# characters that do not begin with a space, numbers in plain digits.
TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")) | st.just("\n"), min_size=1, max_size=40)
VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "a": TEXTS.filter(lambda text: text[0] != " "),
    "n": st.integers(1, 60),
    "e": st.sampled_from(("on", 'half "on"', 3)),
    "f": st.integers(-10_000_000, 10_000_000).map(lambda number: number / 1000) | st.integers(-(10**9), 10**9),
    "b": st.booleans(),
    "l": st.lists(TEXTS.filter(lambda text: text[0] != " "), max_size=3),
    "u": st.integers(-(10**12), 10**12) | TEXTS.filter(lambda text: text[0] != " "),
}


@st.composite
def calls_of_all(draw: st.DrawFn) -> Call:
    given_names = [p.name for p in ALL.parameters if p.required or draw(st.booleans())]
    return Call(ALL.name, {name: draw(VALUES[name]) for name in given_names})


@given(st.lists(calls_of_all(), min_size=1, max_size=3))
@settings(deadline=None, max_examples=60)
def test_every_call_of_allowed_values_is_accepted(calls: list[Call]) -> None:
    assert accepts(BYTES, call_list_grammar([LOOK, ALL], most=3), render_calls(calls))


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_whatever_is_accepted_can_be_read_and_checked(data: st.DataObject) -> None:
    """Random walks: of the bytes allowed next, one is drawn; printable ASCII and the end only, to stay short."""
    matcher = start(BYTES, call_list_grammar([ALL, CANCEL], said="the dentist's\nold", most=2))
    written = b""
    while not matcher.is_stopped() and len(written) < 400:
        bias = matcher.compute_logit_bias()
        allowed = [byte for byte in range(32, 127) if bias[byte]]
        closing = [byte for byte in allowed if byte in b'")]']
        byte = data.draw(st.sampled_from(closing if closing and len(written) > 120 else allowed))
        matcher.consume_token(byte)
        written += bytes([byte])
    calls = parse_calls(written.decode())
    assert render_calls(calls) == written.decode()
    for call in calls:
        check({ALL.name: ALL, CANCEL.name: CANCEL}[call.name], call)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '[get_contacts_information(keyword="travel buddy")]',
        '[get_contacts_information(keyword="Zoë O\'Brien"); set_all(n=7)]',
        '[set_all(a="x", n=60, e=3, f=-1.25, b=False, l=["p", "q"], u=5)]',
        '[set_all(n=1, l=[], u="five")]',
        '[set_all(n=1, e="half \\"on\\"")]',
        '[get_contacts_information(keyword="say \\"hi\\" \\\\ or )] [(")]',
    ],
)
def test_well_formed_calls_are_accepted(tokens: LLTokenizer, text: str) -> None:
    assert accepts(tokens, call_list_grammar([LOOK, ALL]), text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        " []",
        "[] ",
        "[get_contacts()]",
        "[get_contacts_information()]",
        '[get_contacts_information(name="x")]',
        '[get_contacts_information(keyword="")]',
        '[get_contacts_information(keyword=" x")]',
        '[get_contacts_information(keyword="a\nb")]',
        '[get_contacts_information(keyword="a\\qb")]',
        "[get_contacts_information(keyword='x')]",
        '[get_contacts_information(keyword="x", keyword="y")]',
        '[get_contacts_information(keyword="x"),get_contacts_information(keyword="x")]',
        '[get_contacts_information(keyword="x"); ]',
        "[set_all()]",
        '[set_all(a="x")]',
        '[set_all(n=1, a="x")]',
        "[set_all(n=0)]",
        "[set_all(n=61)]",
        "[set_all(n=07)]",
        '[set_all(n="7")]',
        '[set_all(n=1, e="off")]',
        "[set_all(n=1, b=true)]",
        "[set_all(n=1, f=1e3)]",
        "[set_all(n=1,b=True)]",
    ],
)
def test_everything_else_is_rejected(tokens: LLTokenizer, text: str) -> None:
    assert not accepts(tokens, call_list_grammar([LOOK, ALL]), text)


def test_texts_are_bounded_in_length() -> None:
    grammar = call_list_grammar([LOOK])
    assert accepts(BYTES, grammar, one(LOOK.name, keyword="x" * 60))
    assert not accepts(BYTES, grammar, one(LOOK.name, keyword="x" * 61))


def test_the_number_of_calls_is_bounded_and_none_can_be_forbidden() -> None:
    grammar = call_list_grammar([LOOK], may_be_empty=False, most=2, prefix=" ")
    call = Call(LOOK.name, {"keyword": "x"})
    assert [accepts(BYTES, grammar, " " + render_calls([call] * count)) for count in range(4)] == [
        False,
        True,
        True,
        False,
    ]
    assert not accepts(BYTES, call_list_grammar([LOOK], most=1), render_calls([call] * 2))


@pytest.mark.parametrize("choice", ["Alice Johnson", 'José "Pepe" \\ Núñez', "50% [off](x)|y", "a\tb", "好 😀", "//"])
def test_what_was_observed_may_be_referred_to_and_no_part_of_it(choice: str) -> None:
    assert reference(choice, choices=("Alice Johnson Smith", choice))
    assert not reference(choice[:-1], choices=(choice,))
    assert not reference(choice + "x", choices=(choice,))


def test_choices_of_the_parameter_and_of_the_role_both_count() -> None:
    choices = {(CANCEL.name, "event_title"): ["Dentist"], Role.REFERENCE: ["Choir"], Role.PHONE: ["Ana"]}
    grammar = call_list_grammar([CANCEL], choices=choices)
    titles = [t for t in ("Dentist", "Choir", "Ana") if accepts(BYTES, grammar, one(CANCEL.name, event_title=t))]
    assert titles == ["Dentist", "Choir"]


SAID = 'Tell Zoë’s boss "el jefe"   (ana@example.org, +353-555-0199)\nno\\yes: Mary-Jane at 5pm, 我很高兴'


@pytest.mark.parametrize(
    "value",
    [
        *("Zoë", "boss", "Zoë’s boss", '"el jefe"', "el jefe", 'jefe" (ana@example.org', "ana@example.org"),
        *("+353-555-0199", "no\\yes", "Mary-Jane", "5pm", "很高", "Mary-Jane at 5pm, 我"),
    ],
)
def test_words_of_the_person_may_be_referred_to(value: str) -> None:
    assert reference(value, said=SAID)


@pytest.mark.parametrize(
    "value",
    [
        *("Zo", "zoë", "os", " boss", "boss ", "ana@example", "example.org", "+353-555", "Mary", "555-0199", ""),
        *("0199) no", "boss Mary-Jane", "pm", "Tell boss"),
    ],
)
def test_parts_of_words_and_other_words_may_not(value: str) -> None:
    assert not reference(value, said=SAID)


@given(st.text(max_size=60), st.data())
@settings(deadline=None, max_examples=80)
def test_any_line_of_the_person_may_be_referred_to_whatever_it_holds(said: str, data: st.DataObject) -> None:
    lines = [line for line in (" ".join(line.split()) for line in said.splitlines()) if line]
    if not lines:
        assert call_list_grammar([CANCEL], said=said) == call_list_grammar([])
        return
    words = data.draw(st.sampled_from(lines)).split(" ")
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    assert reference(" ".join(words[first:last]), said=said)


def test_an_identifier_is_no_plain_word_of_the_person() -> None:
    rate = tool("rate_trip", Parameter("trip_id", role=Role.REFERENCE))
    grammar = call_list_grammar([rate], said="Ten past seven: rate BS-70412 or flight LHR", choices={})
    taken = [
        w
        for w in ("Ten", "seven", "BS-70412", "LHR", "flight LHR")
        if accepts(BYTES, grammar, one("rate_trip", trip_id=w))
    ]
    assert taken == ["BS-70412", "LHR", "flight LHR"]
    assert not accepts(BYTES, call_list_grammar([rate], said="rate the last one"), one("rate_trip", trip_id="last"))


def test_a_reference_to_nothing_cannot_be_written() -> None:
    optional = tool("find", Parameter("person", role=Role.PERSON, required=False))
    grammar = call_list_grammar([CANCEL, SEND, optional])
    assert accepts(BYTES, grammar, "[find()]")
    assert not accepts(BYTES, grammar, '[find(person="Ana")]')
    assert not accepts(BYTES, grammar, '[cancel_calendar_event(event_title="x")]')
    assert accepts(BYTES, call_list_grammar([CANCEL], may_be_empty=False), "[]")


def test_only_choices_are_left_to_the_model(tokens: LLTokenizer) -> None:
    """All that the grammar determines is forced, in the tokens that the text is usually written in."""
    text = ' [send_imessage_message(receiver="Alice Johnson", content="Late")]'
    grammar = call_list_grammar(
        [LOOK, SEND], choices={Role.PHONE: ["Alice Johnson", "Bob"]}, may_be_empty=False, most=1, prefix=" "
    )
    forced = follow(tokens, grammar, text)
    pieces = [tokens.decode_str([token]) for token in tokens.tokenize_str(text)]
    free = [piece for piece, is_forced in zip(pieces, forced, strict=True) if not is_forced]
    # the tool, the person, the text and its end; and the quote before a text, which may begin with a sign that joins it
    assert free == ["send", "Alice", '="', "Late", '")]']


def test_one_tool_without_parameters_is_forced_whole(tokens: LLTokenizer) -> None:
    text = "[get_books_library()]"
    grammar = call_list_grammar([tool("get_books_library")], may_be_empty=False, most=1)
    assert all(follow(tokens, grammar, text))


def test_many_optional_parameters_do_not_multiply() -> None:
    def size(count: int) -> int:
        return len(call_list_grammar([tool("t", *(Parameter(f"p{n}", required=False) for n in range(count)))]))

    assert size(40) < 3 * size(20)
    grammar = call_list_grammar([tool("t", *(Parameter(f"p{n}", required=False) for n in range(40)))])
    assert accepts(BYTES, grammar, '[t(p0="a", p20="b", p39="c")]')
    assert accepts(BYTES, grammar, "[t()]")
    assert not accepts(BYTES, grammar, '[t(p20="a", p0="b")]')


def test_large_inputs_compile(tokens: LLTokenizer) -> None:
    tools = [tool(f"{verb}_thing_{n}", *SEND.parameters) for n in range(100) for verb in ("get", "set", "send")]
    choices = {Role.PHONE: [f"Person {n} of the list" for n in range(1000)]}
    grammar = call_list_grammar(tools, choices=choices, said="word and more " * 1000)
    assert accepts(tokens, grammar, '[set_thing_99(receiver="Person 999 of the list", content="x")]')
    assert accepts(tokens, grammar, '[set_thing_99(receiver="more word and", content="x")]')


def test_an_agent_is_one_of_the_names(tokens: LLTokenizer) -> None:
    grammar = agent_grammar([agent.value for agent in Agent])
    assert accepts(tokens, grammar, "task_completion")
    assert not accepts(tokens, grammar, "task")
    assert not accepts(tokens, grammar, "chef")


def test_a_line_is_free_text_without_line_breaks(tokens: LLTokenizer) -> None:
    assert accepts(tokens, line_grammar(), 'Done: 好, "quoted" [x]')
    assert not accepts(tokens, line_grammar(), "two\nlines")
    assert not accepts(tokens, line_grammar(), "")
    assert not accepts(BYTES, line_grammar(3), "four")


def test_keywords_are_made_of_the_words_given() -> None:
    grammar = call_list_grammar([LOOK], choices={Role.KEYWORD: ["travel", "buddy", "O'Hara"]})
    assert accepts(BYTES, grammar, one(LOOK.name, keyword="travel buddy"))
    assert accepts(BYTES, grammar, one(LOOK.name, keyword="buddy O'Hara"))
    assert not accepts(BYTES, grammar, one(LOOK.name, keyword="travel agent"))
    assert not accepts(BYTES, grammar, one(LOOK.name, keyword=""))
    assert not accepts(BYTES, grammar, one(LOOK.name, keyword="travel travel travel travel travel travel"))


REMIND = Tool("remind", "", (Parameter("time", role=Role.TIME),), Kind.ACTION, Agent.TASK)
TIMES = TimeWords(
    ("tomorrow at 5 pm", "Sat 14 Mar 16:30"),
    ("Friday", "14 March"),
    ("half ten", "5 pm"),
    ("twenty minutes",),
    ("night before", "Saturday before", "night afore"),
)


@pytest.mark.parametrize(
    "time",
    [
        "tomorrow at 5 pm",
        "Friday",
        "friday at half ten",
        "Friday half ten",
        "half ten Friday",
        "the 14 March, 5 pm",
        "twenty minutes before Sat 14 Mar 16:30",
        "an hour after tomorrow at 5 pm",
        "the night before Sat 14 Mar 16:30 at half ten",
        "the Saturday before 14 March at half ten",
        "the night afore Friday, 5 pm",
    ],
)
def test_times_are_made_of_the_words_of_time_at_hand(tokens: LLTokenizer, time: str) -> None:
    grammar = call_list_grammar([REMIND], times=TIMES)
    assert accepts(tokens, grammar, f'[remind(time="{time}")]')


@pytest.mark.parametrize(
    "time",
    [
        *("Monday", "Friday Friday", "half ten half ten", "6 pm", "twenty minutes", "before Friday", ""),
        *("20 May at 136/85", "the night before", "the night before at half ten", "the Saturday before"),
    ],
)
def test_other_times_cannot_be_written(tokens: LLTokenizer, time: str) -> None:
    assert not accepts(tokens, call_list_grammar([REMIND], times=TIMES), f'[remind(time="{time}")]')


def test_where_nothing_says_when_a_tool_that_needs_a_time_cannot_be_written(tokens: LLTokenizer) -> None:
    silent = TimeWords(lengths=("twenty minutes",), shifts=("night before",))
    assert call_list_grammar([REMIND], times=silent, said="when I am home").startswith('start: "[" ("]")\n')
    later = tool("later", Parameter("time", required=False, role=Role.TIME))
    grammar = call_list_grammar([REMIND, later], times=silent, said="when I am home", may_be_empty=False)
    assert accepts(tokens, grammar, "[later()]")
    assert not accepts(tokens, grammar, '[later(time="when I am home")]')


NOTE = Tool("note", "", (Parameter("content"),), Kind.ACTION, Agent.TASK)


@pytest.mark.parametrize("text", ["Gate 12 at 8", "12", "12 o'clock", "Room 8", "no figure at all", 'she said \\"8\\"'])
def test_texts_hold_figures_that_were_given(tokens: LLTokenizer, text: str) -> None:
    assert accepts(tokens, call_list_grammar([NOTE], numbers=["12", "8"]), f'[note(content="{text}")]')


@pytest.mark.parametrize("text", ["Gate 13", "128", "1", "8 and 81", " 8", ""])
def test_texts_hold_no_other_figures(tokens: LLTokenizer, text: str) -> None:
    assert not accepts(tokens, call_list_grammar([NOTE], numbers=["12", "8"]), f'[note(content="{text}")]')


def test_without_figures_texts_have_none(tokens: LLTokenizer) -> None:
    grammar = call_list_grammar([NOTE], numbers=[])
    assert accepts(tokens, grammar, '[note(content="call her")]')
    assert not accepts(tokens, grammar, '[note(content="call 2 people")]')


def test_words_of_the_person_may_take_a_capital() -> None:
    assert reference("Garage Door", said="open the garage door")
    assert not reference("GARAGE DOOR", said="open the garage door")


PLAY = Tool("play", "", (Parameter("title", role=Role.NAME),), Kind.ACTION, Agent.TASK)
SEEN = "Uca ni Rewa (Rain on the Rewa)\nDelai Strings\n\n"


@pytest.mark.parametrize("title", ["Uca ni Rewa", "Rain on the Rewa", "Delai Strings", "that rain one", "That"])
def test_names_are_runs_of_what_was_found_or_said(tokens: LLTokenizer, title: str) -> None:
    grammar = call_list_grammar([PLAY], said="play that rain one", seen=SEEN)
    assert accepts(tokens, grammar, f'[play(title="{title}")]')


@pytest.mark.parametrize("title", ["Rewa Delai", "Rain Song", "Uca  ni", "", " Rewa", "Rewa ", "Uca ni Rewa play"])
def test_no_other_names_can_be_written(tokens: LLTokenizer, title: str) -> None:
    assert not accepts(tokens, call_list_grammar([PLAY], said="play that one", seen=SEEN), f'[play(title="{title}")]')


def test_many_values_found_compile_quickly_enough_to_be_used(tokens: LLTokenizer) -> None:
    seen = "\n".join(f'Song number {number} of the "long" list' for number in range(400))
    assert accepts(tokens, call_list_grammar([PLAY], seen=seen), '[play(title="Song number 7 of")]')


def test_a_text_does_not_begin_with_a_mark_that_only_ends_things() -> None:
    note = Tool("note", "Note.", (Parameter("content"),), Kind.ACTION, Agent.TASK)
    grammar = call_list_grammar([note], numbers=["5"])
    assert accepts(BYTES, grammar, '[note(content="5 kg, (flour)")]')
    assert accepts(BYTES, grammar, '[note(content="¿Vienes?")]')
    for text in (",", ", flour", ":-)", "?"):
        assert not accepts(BYTES, grammar, f'[note(content="{text}")]')


LEGS = (
    Parameter("city"),
    Parameter("nights", "integer", required=False, minimum=1, maximum=30),
    Parameter("hotel", "object", required=False, fields=(Parameter("stars", "integer"), Parameter("pool", "boolean"))),
)
TRIP = tool(
    "plan",
    Parameter("legs", "array", items="object", fields=LEGS),
    Parameter("start", "object", required=False, fields=LEGS[:2]),
    Parameter("days", "array", required=False, items="string", choices=("mon", "tue")),
)


@pytest.mark.parametrize(
    "arguments",
    [
        {"legs": []},
        {"legs": [{"city": "Rome"}]},
        {"legs": [{"city": "Rome", "nights": 3}, {"city": "Pisa", "hotel": {"stars": 3, "pool": True}}]},
        {"legs": [], "start": {"city": "Rome", "nights": 30}},
        {"legs": [], "days": ["mon", "tue"]},
    ],
)
def test_objects_are_written_field_by_field(tokens: LLTokenizer, arguments: dict[str, Any]) -> None:
    assert accepts(tokens, call_list_grammar([TRIP]), render_calls([Call("plan", arguments)]))


@pytest.mark.parametrize(
    "arguments",
    [
        {"legs": [{}]},
        {"legs": [{"nights": 3}]},
        {"legs": [{"nights": 3, "city": "Rome"}]},
        {"legs": [{"city": "Rome", "nights": 31}]},
        {"legs": [{"city": "Rome", "mood": "good"}]},
        {"legs": [{"city": "Rome", "hotel": {"stars": 3}}]},
        {"legs": ["Rome"]},
        {"legs": [], "start": {}},
        {"legs": [], "days": ["wed"]},
    ],
)
def test_other_objects_cannot_be_written(tokens: LLTokenizer, arguments: dict[str, Any]) -> None:
    assert not accepts(tokens, call_list_grammar([TRIP]), render_calls([Call("plan", arguments)]))


def test_an_object_with_a_required_reference_to_nothing_cannot_be_written(tokens: LLTokenizer) -> None:
    fields = (Parameter("person", role=Role.PERSON),)
    needed = tool("invite", Parameter("guest", "object", fields=fields))
    grammar = call_list_grammar([needed])
    assert accepts(tokens, grammar, "[]")
    assert not accepts(tokens, grammar, '[invite(guest={"person": "Ann"})]')
    assert accepts(tokens, call_list_grammar([needed], said="invite Ann"), '[invite(guest={"person": "Ann"})]')


def test_an_actions_numbers_are_those_that_were_allowed() -> None:
    grammar = call_list_grammar([ALL], figures=lambda parameter, whole: (2, 5) if whole else (2, 5, 7.5))
    assert accepts(BYTES, grammar, one("set_all", n=5, f=7.5))
    assert accepts(BYTES, grammar, one("set_all", n=2, u=5))
    for wrong in ({"n": 6}, {"n": 2, "f": 3}, {"n": 2, "u": 7}):
        assert not accepts(BYTES, grammar, one("set_all", **wrong))
    look = Tool("count", "", (Parameter("n", "integer"),), Kind.CONTEXT, Agent.CONTEXT)
    assert accepts(BYTES, call_list_grammar([look], figures=lambda parameter, whole: ()), one("count", n=9))
    assert not accepts(BYTES, call_list_grammar([ALL], figures=lambda parameter, whole: ()), one("set_all", n=1))
