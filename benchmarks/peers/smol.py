"""The peer: smolagents' `ToolCallingAgent` on one phone, with camphor's model under llama-cpp-python.

What it is given, so that the comparison is fair:
- the very GGUF file that camphor runs (base and adapter merged), as many threads, no flash attention either;
- the phone's tools, each as a `smolagents.Tool` with its whole definition, carried out by the same device: times,
  people and receivers are understood as people say them, and look-ups come back in the lines that camphor's own prompts
  show;
- the library's own prompt for tool calls as it comes, with the instructions below in the place it has for them;
- llama-cpp-python's prompt cache: what a prompt shares with the one before it is not evaluated again;
- greedy decoding, at most `MAX_TOKENS` a step and `MAX_STEPS` steps, after which it is stopped: the library would then
  ask for a last answer with another prompt, which is spared it, for that would cost time and empty the cache;
- a grammar, made from the tools' schemas once a phone, under which every reply is a call that the library can read.
  Without it (`constrained=False`) the model writes what it likes, as the library alone has it;
- an action that was done before with the same values is answered, not done twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from llama_cpp import llama_cpp as low_level
from llama_cpp.llama import Llama
from llama_cpp.llama_grammar import LlamaGrammar
from smolagents import ActionStep, FinalAnswerStep, ToolCallingAgent
from smolagents.models import ChatMessage, MessageRole, Model
from smolagents.monitoring import LogLevel, TokenUsage
from smolagents.tools import Tool as SmolTool

from camphor.agents.display import show_record
from camphor.device.device import Device
from camphor.device.when import show_time
from camphor.errors import ToolError
from camphor.models.native import model_parameters
from camphor.tools.tool import Kind, Tool
from camphor.trajectories.items import Item
from camphor.types import Agent, Call, Observation, Step
from camphor_lab.evaluation.runner import SystemAnswer

CONTEXT = 8192  # what the model was trained for; the library's prompt with a phone's tools takes about 3,000
MAX_STEPS = 6  # as camphor's own limit; two look-ups, two actions and the final answer are five
MAX_TOKENS = 256  # a call with a long message takes about 80
INSTRUCTIONS = """\
You are the assistant on a person's phone. It is {now}{place}.
First look up what the request leaves open: numbers, addresses, titles, times. Then carry it out, with values that were
said or found, and do nothing that was not asked for. Times may be given as people say them, people by their names.
If nothing is to be done, or it is not clear who or what is meant, give the answer or ask back with final_answer."""
_LONGEST = 700  # characters of one observation, as in camphor's own prompts


class Counting(Llama):
    """llama-cpp-python's model, which counts the tokens that go through it."""

    evaluated = 0

    def __init__(self, path: Path, **settings: Any) -> None:
        default = low_level.llama_model_default_params
        low_level.llama_model_default_params = model_parameters  # `Llama` takes no argument for extra buffers
        try:
            super().__init__(str(path), **settings)
        finally:
            low_level.llama_model_default_params = default

    def eval(self, tokens: Sequence[int]) -> None:
        self.evaluated += len(tokens)
        super().eval(tokens)


class LocalChat(Model):  # type: ignore[misc]
    """smolagents' interface to a model, over llama-cpp-python's chat completion.

    Args:
        path: a GGUF file with a chat template. threads: for prompt and generation. constrained: whether replies are
            kept to the form of a call.
    """

    def __init__(self, path: Path, threads: int, *, constrained: bool = True) -> None:
        super().__init__(flatten_messages_as_text=True, model_id=path.stem)
        self.llama = Counting(path, n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, verbose=False)
        self.constrained = constrained
        self._grammars: dict[str, Any] = {}

    def generate(
        self,
        messages: list[Any],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, str] | None = None,
        tools_to_call_from: list[SmolTool] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        prepared = self._prepare_completion_kwargs(messages, stop_sequences, tool_choice=None, **kwargs)
        said: Any = [{"role": str(m["role"].value), "content": m["content"]} for m in prepared["messages"]]
        reply: Any = self.llama.create_chat_completion(
            messages=said,
            stop=prepared.get("stop") or [],
            max_tokens=MAX_TOKENS,
            temperature=0.0,
            grammar=self._grammar(tools_to_call_from) if self.constrained and tools_to_call_from else None,
        )
        usage = TokenUsage(reply["usage"]["prompt_tokens"], reply["usage"]["completion_tokens"])
        text = reply["choices"][0]["message"]["content"] or ""
        return ChatMessage(role=MessageRole.ASSISTANT, content=text, raw=reply, token_usage=usage)

    def _grammar(self, tools: Sequence[SmolTool]) -> Any:
        schema = json.dumps(call_schema(tools))
        if schema not in self._grammars:
            self._grammars[schema] = LlamaGrammar.from_json_schema(schema, verbose=False)
        return self._grammars[schema]


def call_schema(tools: Sequence[SmolTool]) -> dict[str, Any]:
    """The JSON Schema of one call as smolagents reads it, `{"name": ..., "arguments": {...}}`, of any of the tools."""
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": {"name": {"const": tool.name}, "arguments": _arguments(tool.inputs)},
                "required": ["name", "arguments"],
            }
            for tool in tools
        ]
    }


def _arguments(inputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    properties = {}
    for name, told in inputs.items():
        schema = {key: told[key] for key in ("type", "enum", "items") if key in told}
        properties[name] = schema if schema.get("type") != "any" else {"type": "string"}
    required = [name for name, told in inputs.items() if not told.get("nullable")]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


class Phone:
    """What the agent can do on a device, and what it did there: `proposed` are its actions, normalised.

    Everything is consented to, as in `camphor lab evaluate`.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.proposed: list[Call] = []
        self.steps: list[Step] = []

    def tools(self) -> list[SmolTool]:
        return [PhoneTool(tool, self) for tool in self.device.toolbox]

    def carry_out(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """One call; its answer as text for the model, errors too."""
        written = Call(tool.name, {name: value for name, value in arguments.items() if value is not None})
        acting = tool.kind is Kind.ACTION
        try:
            call = self.device.normalise(written) if acting else written
        except ToolError as error:
            return self._told(tool, Observation(written, error=str(error)))
        if acting and call in self.proposed:
            return "already done"
        if acting:
            self.proposed.append(call)
        key = f"peer/{len(self.proposed)}" if acting else None
        return self._told(tool, self.device.execute(call, key) if key else self.device.execute(call))

    def _told(self, tool: Tool, observation: Observation) -> str:
        self.steps.append(Step(tool.agent, (observation.call,), (observation,)))
        if observation.error is not None:
            return f"error: {observation.error}"
        if tool.agent is Agent.TASK:
            return "done"
        lines = [show_record(record, self.device.now.year) for record in observation.records]
        return "\n".join(lines)[:_LONGEST] or "nothing found"


class PhoneTool(SmolTool):  # type: ignore[misc]
    """One of camphor's tools as smolagents takes it."""

    skip_forward_signature_validation = True  # as the library's own wrappers of other libraries' tools have it

    def __init__(self, tool: Tool, phone: Phone) -> None:
        self.name = re.sub(r"\W", "_", tool.name)
        self.description = tool.description
        self.inputs = {parameter.name: _input(parameter.to_schema(), parameter) for parameter in tool.parameters}
        self.output_type = "string"
        self._tool, self._phone = tool, phone
        super().__init__()

    def forward(self, **arguments: Any) -> str:
        return self._phone.carry_out(self._tool, arguments)


def _input(schema: Mapping[str, Any], parameter: Any) -> dict[str, Any]:
    kept = {key: schema[key] for key in ("enum", "items") if key in schema}
    optional = {} if parameter.required else {"nullable": True}
    return {"type": schema.get("type", "any"), "description": parameter.explanation(), **kept, **optional}


class SmolAnswerer:
    """The peer as a system under test (`camphor_lab.evaluation.runner.Answerer`); follow-up queries are not for it."""

    def __init__(self, model: LocalChat) -> None:
        self.model = model

    def answer(self, item: Item, device: Device) -> SystemAnswer:
        before, phone = self.model.llama.evaluated, Phone(device)
        place = device.location.get("city", "")
        told = INSTRUCTIONS.format(now=show_time(device.now, 0), place=f" in {place}" if place else "")
        agent = ToolCallingAgent(
            phone.tools(), self.model, instructions=told, max_steps=MAX_STEPS, verbosity_level=LogLevel.OFF
        )
        steps: list[ActionStep] = []
        said, ended = "", False
        for event in agent.run(item.query, stream=True):
            if isinstance(event, ActionStep):
                steps.append(event)
                if len(steps) == MAX_STEPS and not event.is_final_answer:
                    break
            elif isinstance(event, FinalAnswerStep):
                said, ended = str(event.output or ""), True
        usage = [step.token_usage for step in steps if step.token_usage]
        timing = {
            "evaluated_tokens": self.model.llama.evaluated - before,
            "prompt_tokens": usage[0].input_tokens if usage else 0,
            "generated_tokens": sum(each.output_tokens for each in usage),
            "model_turns": len(steps),
            "failed_turns": sum(step.error is not None for step in steps),
            "ended": ended,
        }
        return SystemAnswer(tuple(phone.proposed), tuple(phone.steps), said, timing)
