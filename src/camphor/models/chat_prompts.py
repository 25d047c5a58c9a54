"""A request of a conversation as a prompt for a model on this machine, whatever its chat template can take.

Templates differ: some know tools, some calls in earlier messages, some results; some refuse a system's message, two
messages of one role in a row, or several calls at once. What a template can take is found out with small conversations
when the model is opened, as llama.cpp does it too. One that knows no tools has them told in the system's message in
the form that most models have seen (Hermes).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from camphor.errors import ModelError
from camphor.models.call_families import HERMES, CallFamily, as_json, as_object, family_named, family_of, unknown_part
from camphor.models.chat import ChatCall, ChatRequest, ChatTool, Message
from camphor.models.chat_template import TemplateSource
from camphor.models.model_template import Body, ModelTemplate, TemplateFailed
from camphor.types import Prompt

TOLD_TOOLS = """\
You may call tools for what the user asks. Their signatures are within <tools></tools>, one on a line:
<tools>
{tools}
</tools>
For each call write its name and arguments as one JSON object within <tool_call></tool_call>:
<tool_call>
{{"name": "...", "arguments": {{...}}}}
</tool_call>"""
_TOLD_RESULT = "<tool_response>\n{content}\n</tool_response>"
_SYSTEM, _USER, _TOOL, _VALUE, _RESULT = "probesystem", "probeuser", "probetool", "probevalue", "proberesult"
_PROBE = ChatTool(_TOOL, "A probe.", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})


class ChatPrompts:
    """Writes requests as prompts in a model's own template.

    Attributes:
        family: how the model writes calls. native: whether its template knows tools.

    Raises:
        TemplateFailed: no conversation can be written in it.
    """

    def __init__(self, source: TemplateSource) -> None:
        if part := unknown_part(source.default + source.for_tools):
            raise TemplateFailed(f"its messages have parts that are not known here ({part}): run it under a server")
        self._template = ModelTemplate(source)
        self._knows_system = self._shows([_body("system", _SYSTEM), _body("user", _USER)], _SYSTEM)
        if not self._shows([_body("user", _USER)], _USER):
            self._template.fill([_body("user", _USER)])  # raises, with the reason, where it is the template's
            raise TemplateFailed("the model's chat template leaves the message out")
        found = family_of(source.for_tools)
        self._tells_in_system = False
        self.native = found is not None and self._knows_tools()
        self.family: CallFamily = found if self.native and found else family_named(HERMES)
        self._object_arguments = self.native and self._knows_calls(objects=True)
        self._writes_calls = not (self._object_arguments or (self.native and self._knows_calls(objects=False)))
        self._knows_results = self.native and self._shows_result()

    def prompt(self, request: ChatRequest) -> Prompt:
        """The prompt of a request, up to where the assistant's message begins.

        Raises:
            TemplateFailed: the template takes the conversation in no form. ModelError: there is no message.
        """
        if not request.messages:
            raise ModelError("there is nothing to answer: the conversation has no message")
        tools = [_tool(each) for each in request.tools]
        messages = list(_numbered(request.messages))
        apart = _one_by_one(messages)
        failed: TemplateFailed | None = None
        for talk, merge in ((messages, False), (apart, False), (apart, True)):
            bodies = self._bodies(talk, tools)
            try:
                return self._template.fill(
                    _merged(bodies) if merge else bodies, tools if self.native and not self._tells_in_system else ()
                )
            except TemplateFailed as error:
                failed = failed or error
        assert failed is not None
        raise failed

    def _bodies(self, messages: Sequence[Message], tools: Sequence[Body]) -> list[Body]:
        """The messages as the template takes them."""
        names = {call.id: call.name for message in messages for call in message.calls}
        bodies = [self._body(each, names.get(each.call_id, "")) for each in messages]
        if tools and not self.native:
            told = TOLD_TOOLS.format(tools="\n".join(map(as_json, tools)))
            if bodies[0]["role"] == "system":
                bodies[0] = _body("system", f"{bodies[0]['content']}\n\n{told}")
            else:
                bodies.insert(0, _body("system", told))
        if tools and self._tells_in_system:
            if bodies[0]["role"] != "system":
                bodies.insert(0, _body("system", ""))
            bodies[0]["tools"] = as_json([each["function"] for each in tools])
        if not self._knows_system and bodies[0]["role"] == "system":
            system, *bodies = bodies
            if bodies and bodies[0]["role"] == "user":
                bodies[0] = _body("user", f"{system['content']}\n\n{bodies[0]['content']}")
            else:
                bodies.insert(0, _body("user", system["content"]))
        return bodies

    def _body(self, message: Message, name: str) -> Body:
        if message.role == "tool":
            if self._knows_results:
                return {**_body("tool", message.content), "name": name, "tool_call_id": message.call_id}
            return _body("user", _TOLD_RESULT.format(content=message.content))
        if not message.calls:
            return _body(message.role, message.content)
        if self._writes_calls:
            written = self.family.write(message.calls)
            return _body("assistant", f"{message.content}\n{written}" if message.content else written)
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": as_object(call.arguments) if self._object_arguments else call.arguments,
                },
            }
            for call in message.calls
        ]
        return {**_body("assistant", message.content), "tool_calls": calls}

    # What a template can take

    def _shows(self, messages: list[Body], *texts: str, tools: Sequence[Body] = ()) -> bool:
        filled = self._template.filled(messages, tools)
        return all(text in filled for text in texts)

    def _knows_tools(self) -> bool:
        tool = _tool(_PROBE)
        if self._shows([_body("user", _USER)], _TOOL, tools=[tool]):
            return True
        told = {**_body("system", _SYSTEM), "tools": as_json([tool["function"]])}
        self._tells_in_system = self._shows([told, _body("user", _USER)], _TOOL)
        return self._tells_in_system

    def _knows_calls(self, *, objects: bool) -> bool:
        self._object_arguments, self._writes_calls, self._knows_results = objects, False, True
        # the braces of an object's JSON, not of Python's
        return self._shows(self._called(), _TOOL, _VALUE) and "{'" not in self._template.filled(self._called())

    def _shows_result(self) -> bool:
        self._knows_results = True
        return self._shows(self._called(), _RESULT)

    def _called(self) -> list[Body]:
        call = ChatCall("probe0000", _TOOL, as_json({"a": _VALUE}))
        talk = (Message("user", _USER), Message("assistant", "", (call,)), Message("tool", _RESULT, call_id=call.id))
        return self._bodies(talk, ())


def _body(role: str, content: str) -> Body:
    return {"role": role, "content": content}


def _tool(tool: ChatTool) -> Body:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _numbered(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages with ids of calls of nine letters and digits, which some templates ask for."""
    count = itertools.count()
    known: dict[str, str] = {}
    for message in messages:
        for call in message.calls:
            known[call.id] = f"call{next(count):05d}"
        calls = tuple(ChatCall(known[call.id], call.name, call.arguments) for call in message.calls)
        yield Message(message.role, message.content, calls, known.get(message.call_id, "call00000"))


def _one_by_one(messages: Sequence[Message]) -> list[Message]:
    """A message for each of several calls, with its result behind it."""
    results = {each.call_id: each for each in messages if each.role == "tool"}
    made: list[Message] = []
    moved: set[str] = set()
    for message in messages:
        if len(message.calls) < 2:
            made += [] if message.role == "tool" and message.call_id in moved else [message]
            continue
        for place, call in enumerate(message.calls):
            made.append(Message("assistant", "" if place else message.content, (call,)))
            if call.id in results:
                made.append(results[call.id])
                moved.add(call.id)
    return made


def _merged(bodies: Iterable[Body]) -> list[Body]:
    """Neighbours of one role in one message, where both are nothing but text."""
    made: list[Body] = []
    for body in bodies:
        if made and made[-1].keys() == body.keys() == {"role", "content"} and made[-1]["role"] == body["role"]:
            made[-1] = _body(body["role"], f"{made[-1]['content']}\n\n{body['content']}")
        else:
            made.append(body)
    return made
