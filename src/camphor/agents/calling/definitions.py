"""How prompts show functions: as JSON, as a docstring, and on one line (DroidCall, Listing 1 and Appendix B)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from camphor.tools.listing import to_listing
from camphor.tools.plans import result_types
from camphor.tools.signatures import write_annotation
from camphor.tools.tool import COMPUTED, Parameter, Tool

_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[^\W\d]{2}[.!?])\s|\n\s*\n")
_DEFAULT = re.compile(r"\s*(?:\(?[Dd]efaults? (?:is|to|value)[^.]*\.?\)?|\(?\boptional\b\)?)\s*")
# A description that lists the values allowed, as a schema's `enum` would: an example is no such list.
_OPTIONS = re.compile(r"\b(?:available|options|one of|possible|allowed|either|supported|valid)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'`]([\w/*.-]{1,40})[\"'`]")
# Words of a description that tell nothing which a name does not.
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an the of to for in on at by with from that which is are be as it its this and or any new given specified "
        "whether name names value values string text list boolean parameter argument should must can will used using "
        "use user users specifying specify specifies extra action intent",
    )
)
_LONGEST = 100  # characters of what is said of one parameter on a tool's line


def json_definition(tool: Tool) -> str:
    """The function as DroidCall's Listing 1 has it, indented: a small model sees where a parameter ends."""
    return json.dumps(to_listing(tool), ensure_ascii=False, indent=2)


def docstring_definition(tool: Tool) -> str:
    """The function as a docstring with its name in front; parts that are empty are left out."""
    parts = [("Name", [tool.name]), ("Description", tool.description.splitlines())]
    parts.append(("Args", [_documented(parameter) for parameter in tool.parameters]))
    if tool.result is not None:
        meaning = f": {_one_line(tool.result.description)}" if tool.result.description else ""
        parts.append(("Returns", [write_annotation(tool.result) + meaning]))
    parts.append(("Example", [line for example in tool.examples for line in example.splitlines()]))
    return "\n".join(
        line for title, lines in parts if lines for line in (f"{title}:", *(f"    {each}".rstrip() for each in lines))
    )


def short_definition(tool: Tool) -> str:
    """The function on one line: signature, first sentence, and of parameters what their names do not say.

    What code computes from words is shown as `time`, `hour`, `duration` and so on: the model copies the words.

    `dial(phone_number): Call a number.`, `set_alarm(hour: int, days?: list): Set an alarm. hour: in 24-hour format.`
    """
    known = _words([tool.name, _first_sentence(tool.description)])
    notes = [
        f"{parameter.name}: {note}"
        for parameter in tool.parameters
        if (note := _note(parameter)) and _words([note]) - known - _words([parameter.name])
    ]
    gives = f" -> {write_annotation(tool.result)}" if tool.result and result_types(tool) != ("null",) else ""
    head = f"{tool.name}({', '.join(map(_shown, tool.parameters))}){gives}"
    told = [_first_sentence(tool.description), *notes]
    return f"{head}: {' '.join(each if each.endswith(('.', '!', '?')) else each + '.' for each in told if each)}"


def _documented(parameter: Parameter) -> str:
    optional = "" if parameter.required else ", optional"
    fields = f" Keys: {'; '.join(field.signature() for field in parameter.fields)}." if parameter.fields else ""
    return f"{parameter.name} ({write_annotation(parameter)}{optional}): {_one_line(parameter.description)}{fields}"


def _shown(parameter: Parameter) -> str:
    if parameter.role not in COMPUTED:
        return parameter.definition()
    return f"{parameter.name}{'' if parameter.required else '?'}: {parameter.role.value}"


def _note(parameter: Parameter) -> str:
    """The values that a parameter's description lists, or what its first sentence says without its default."""
    if parameter.role in COMPUTED or parameter.enum:
        return ""
    options = _OPTIONS.search(parameter.description)
    named = dict.fromkeys(_QUOTED.findall(parameter.description[options.start() :])) if options else {}
    if len(named) > 1 and "object" not in parameter.types:
        return "|".join(named)
    said = _first_sentence(_DEFAULT.sub(" ", parameter.description)).strip(" .")
    if len(said) > _LONGEST:
        said = said[:_LONGEST].rsplit(" ", 1)[0] + "..."
    fields = f"{{{', '.join(field.definition() for field in parameter.fields)}}}" if parameter.fields else ""
    return " ".join(filter(None, [said, fields]))


def _first_sentence(text: str) -> str:
    return _one_line(_SENTENCE.split(text.strip(), maxsplit=1)[0])


def _words(texts: Iterable[str]) -> set[str]:
    """The words that say something, without an s at their end."""
    found = {word.casefold() for text in texts for word in _WORD.findall(text.replace("_", " "))}
    return {word.removesuffix("s") for word in found - _EMPTY}


def _one_line(text: str) -> str:
    return " ".join(text.split())
