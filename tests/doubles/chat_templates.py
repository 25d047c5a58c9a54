"""Chat templates of several kinds, each short and written here from how the family's conversations look."""

from __future__ import annotations

from dataclasses import dataclass, field

from camphor.models.chat_template import TemplateSource

_JSON_CALL = '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}'


def _talk(turn: str, calls: str = "", result: str = "", *, head: str = "", end: str, start: str) -> str:
    """Each message between `turn` and `end`, its calls by `calls`, a result by `result`."""
    told = f"{{% elif m.role == 'tool' %}}{result}" if result else ""
    made = f"{{% for c in m.tool_calls or [] %}}{calls}{{% endfor %}}" if calls else ""
    return (
        f"{head}{{% for m in messages %}}{{% if m.role == 'nobody' %}}{told}"
        f"{{% else %}}{turn}{{{{ m.content }}}}{made}{end}{{% endif %}}{{% endfor %}}"
        f"{{% if add_generation_prompt %}}{start}{{% endif %}}"
    )


def _chatml(tools: str, calls: str, result: str = "", start: str = "") -> str:
    return _talk(
        "{{ '<|im_start|>' + m.role + '\\n' }}",
        calls,
        result or "{{ '<|im_start|>tool\\n' + m.content + '<|im_end|>\\n' }}",
        head=f"{{% if tools %}}{{{{ '<|im_start|>system\\n' }}}}{tools}{{{{ '<|im_end|>\\n' }}}}{{% endif %}}",
        end="{{ '<|im_end|>\\n' }}",
        start=f"{{{{ '<|im_start|>assistant\\n{start}' }}}}",
    )


_LISTED = "{% for t in tools %}{{ t | tojson }}{% endfor %}"
CHATML = ("<|im_start|>", "<|im_end|>")


@dataclass(frozen=True)
class Kind:
    """A template: the family whose calls it writes, control tokens, and whether it knows tools itself."""

    template: str
    family: str
    controls: tuple[str, ...]
    native: bool = True
    end: str = "<|im_end|>"
    added: tuple[str, ...] = field(default=())

    @property
    def source(self) -> TemplateSource:
        names = (*self.controls, self.end) if self.end not in self.controls else self.controls
        controls = {name: 256 + place for place, name in enumerate(names)}
        bos = next((name for name in ("<s>", "<bos>", "<|begin_of_text|>") if name in names), "")
        return TemplateSource(self.template, self.template, bos, self.end, controls, frozenset(self.added))


KINDS = {
    "plain chatml": Kind(
        _talk(
            "{{ '<|im_start|>' + m.role + '\\n' }}",
            end="{{ '<|im_end|>\\n' }}",
            start="{{ '<|im_start|>assistant\\n' }}",
        ),
        "hermes",
        CHATML,
        native=False,
    ),
    "qwen": Kind(
        _chatml(_LISTED, f"{{{{ '\\n' if not loop.first or m.content }}}}<tool_call>\n{_JSON_CALL}\n</tool_call>"),
        "hermes",
        CHATML,
        added=("<tool_call>", "</tool_call>"),
    ),
    "qwen that thinks": Kind(
        _chatml(_LISTED, f"<tool_call>\n{_JSON_CALL}\n</tool_call>", start="<think>\\n"), "hermes", CHATML
    ),
    "qwen coder": Kind(
        _chatml(
            _LISTED,
            "<tool_call>\n<function={{ c.function.name }}>\n{% for k, v in c.function.arguments | items %}"
            "{{ '<parameter=' + k + '>\\n' }}{{ v if v is string else v | tojson }}"
            "{{ '\\n</parameter>\\n' }}{% endfor %}"
            "</function>\n</tool_call>",
        ),
        "qwen3-coder",
        CHATML,
    ),
    "glm": Kind(
        _chatml(
            _LISTED,
            "<tool_call>{{ c.function.name + '\\n' }}{% for k, v in c.function.arguments | items %}"
            "<arg_key>{{ k }}</arg_key>\n<arg_value>{{ v if v is string else v | tojson }}{{ '</arg_value>\\n' }}"
            "{% endfor %}</tool_call>",
        ),
        "glm",
        CHATML,
    ),
    "llama": Kind(
        _talk(
            "{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' }}",
            '{% if m.tool_calls | length > 1 %}{{ raise_exception("one call at once") }}{% endif %}'
            '{"name": "{{ c.function.name }}", "parameters": {{ c.function.arguments | tojson }}}',
            "{{ '<|start_header_id|>ipython<|end_header_id|>\\n\\n' + m.content + '<|eot_id|>' }}",
            head=f"{{{{ bos_token }}}}{{% if tools %}}{_LISTED}{{% endif %}}",
            end="{{ '<|eot_id|>' }}",
            start="{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}",
        ),
        "llama-3",
        ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|python_tag|>"),
        end="<|eot_id|>",
    ),
    "mistral": Kind(
        "{{ bos_token }}{% if tools %}[AVAILABLE_TOOLS]{{ tools | tojson }}[/AVAILABLE_TOOLS]{% endif %}"
        "{% for m in messages %}{% if m.role == 'tool' %}"
        "{% if m.tool_call_id | length != 9 %}{{ raise_exception('ids have nine letters') }}{% endif %}"
        "[TOOL_RESULTS]{{ m.content }}[/TOOL_RESULTS]"
        "{% elif m.tool_calls %}[TOOL_CALLS][{% for c in m.tool_calls %}{{ ', ' if not loop.first }}"
        f"{_JSON_CALL}{{% endfor %}}]</s>{{% elif m.role == 'assistant' %}}{{{{ m.content }}}}</s>"
        "{% else %}[INST]{{ m.content }}[/INST]{% endif %}{% endfor %}",
        "mistral-list",
        ("<s>", "[INST]", "[/INST]", "[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
        end="</s>",
    ),
    "gemma": Kind(
        "{{ bos_token }}{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('roles must alternate') }}{% endif %}"
        "<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n{{ m.content | trim }}"
        "<end_of_turn>\n{% endfor %}<start_of_turn>model\n",
        "hermes",
        ("<bos>", "<start_of_turn>"),
        native=False,
        end="<end_of_turn>",
    ),
    "function gemma": Kind(
        _talk(
            "<start_of_turn>{{ m.role + '\\n' }}",
            "<start_function_call>call:{{ c.function.name }}{{ '{' }}{% for k, v in c.function.arguments | items %}"
            "{{ ',' if not loop.first }}{{ k }}:{{ '<escape>' + v + '<escape>' if v is string else v | tojson }}"
            "{% endfor %}{{ '}' }}<end_function_call>",
            "<start_function_response>{{ m.content }}<end_function_response>",
            head=f"{{{{ bos_token }}}}{{% if tools %}}{_LISTED}{{% endif %}}",
            end="<end_of_turn>\n",
            start="<start_of_turn>model\n",
        ),
        "function-gemma",
        ("<bos>", "<start_of_turn>", "<start_function_call>", "<end_function_call>", "<escape>"),
        end="<end_of_turn>",
    ),
    "granite": Kind(
        _talk(
            "<|start_of_role|>{{ m.role }}<|end_of_role|>",
            f"{{{{ '<|tool_call|>[' if loop.first else ', ' }}}}{_JSON_CALL}{{{{ ']' if loop.last }}}}",
            "<|start_of_role|>tool<|end_of_role|>{{ m.content }}<|end_of_text|>\n",
            head=f"{{% if tools %}}<|start_of_role|>tools<|end_of_role|>{_LISTED}<|end_of_text|>\n{{% endif %}}",
            end="<|end_of_text|>\n",
            start="<|start_of_role|>assistant<|end_of_role|>",
        ),
        "granite",
        ("<|start_of_role|>", "<|end_of_role|>", "<|tool_call|>"),
        end="<|end_of_text|>",
    ),
    "phi": Kind(
        "{% for m in messages %}{{ '<|' + m.role + '|>' + m.content }}"
        "{% if m.tools %}{{ '<|tool|>' + m.tools + '<|/tool|>' }}{% endif %}<|end|>{% endfor %}<|assistant|>",
        "phi-4-mini",
        ("<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|/tool|>", "<|tool_call|>", "<|/tool_call|>"),
        end="<|end|>",
    ),
    "deepseek": Kind(
        "{{ bos_token }}{% if tools %}" + _LISTED + "{% endif %}{% for m in messages %}{% if m.role == 'tool' %}"
        "<｜tool▁output▁begin｜>{{ m.content }}<｜tool▁output▁end｜>{% elif m.tool_calls %}<｜Assistant｜>"
        "<｜tool▁calls▁begin｜>{% for c in m.tool_calls %}{{ '\\n' if not loop.first }}"
        "{{ '<｜tool▁call▁begin｜>' + c.type + '<｜tool▁sep｜>' + c.function.name + '\\n```json\\n' + "
        "c.function.arguments + '\\n```<｜tool▁call▁end｜>' }}{% endfor %}<｜tool▁calls▁end｜><｜end▁of▁sentence｜>"
        "{% else %}{{ '<｜Assistant｜>' if m.role == 'assistant' else '<｜User｜>' }}{{ m.content }}{% endif %}"
        "{% endfor %}<｜Assistant｜>",
        "deepseek-v3",
        ("<｜User｜>", "<｜Assistant｜>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>",
         "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"),
        end="<｜end▁of▁sentence｜>",
    ),
    "lfm": Kind(
        _chatml(
            _LISTED,
            "{{ '<|tool_call_start|>[' if loop.first else ', ' }}{{ c.function.name }}("
            "{% for k, v in c.function.arguments | items %}{{ ', ' if not loop.first }}{{ k }}={{ v | tojson }}"
            "{% endfor %}){{ ']<|tool_call_end|>' if loop.last }}",
        ),
        "lfm2",
        (*CHATML, "<|tool_call_start|>", "<|tool_call_end|>"),
    ),
}  # fmt: skip
"""By a name for tests. Ids of control tokens follow those of the 256 bytes, as `spoken_engine` has them."""
