"""The strategies by the names that commands and result files use."""

from __future__ import annotations

from camphor.agents.bounds import Limits
from camphor.agents.instructions import FORM
from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import TOLD, Form, Setting
from camphor.agents.strategies.agents import agents
from camphor.agents.strategies.attempt import Attempt, submit
from camphor.agents.strategies.autoact import autoact
from camphor.agents.strategies.base import Steps, Strategy
from camphor.agents.strategies.collaboration import collaborate
from camphor.agents.strategies.react import react
from camphor.agents.strategies.reflexion import reflexion
from camphor.agents.strategies.single_agent import single_agent
from camphor.agents.strategies.texts import ANSWER, GOAL, define, examples, lay_out
from camphor.agents.wants import Think
from camphor.errors import UsageError
from camphor.models.chat import ChatModel
from camphor.types import Agent, Turn

ASK = "Write the next list of calls, and nothing else; [] if nothing is left to be called."
EXAMPLES = """\
Request: let my dentist know I'm running ten minutes behind
[get_contacts_information(keyword="dentist")]
= name: Ruth Okafor; phone_number: 555-0175; relationship: dentist
[send_imessage_message(receiver="Ruth Okafor", content="I'm running ten minutes behind")]
Request: when did I last buy coffee filters?
[get_amazon_orders(keyword="coffee filters")]
= item: Coffee filters, 80 pieces; date: Tue 4 Feb; status: delivered
[]"""


def static(query: str, history: tuple[Turn, ...], setting: Setting, limits: Limits) -> Steps:
    """Solve one query. Yields, is sent and returns what `base.Strategy` says."""
    tools = tuple(setting.toolbox)
    system = [GOAL, FORM, "Tools:", *define(tools), *examples(setting, EXAMPLES)]
    attempt = Attempt(query, history, setting, limits)
    for _ in range(limits.steps):
        prompt = lay_out(setting, system, attempt.lines, ASK)
        # whose list it will be is not known before it is written: the answer is one for all agents
        text = str((yield Think(Agent.HIGH_ORDER, prompt, attempt.grammar(tools), limits.call_tokens)))
        outcome = yield from attempt.carry_out(text, tools)
        done = outcome.drafted or not outcome.calls
        if (done and not outcome.failed) or attempt.stuck:
            break
    return (yield from submit(attempt, lay_out(setting, system, attempt.lines, ANSWER)))


CAMPHOR = "camphor"
SINGLE_AGENT, AGENTS = "single_agent", "agents"
CHATTING: dict[str, Strategy] = {SINGLE_AGENT: single_agent, AGENTS: agents}
"""Those for models that take part in conversations (models/chat.py)."""
BASELINES: dict[str, Strategy] = {"static": static, "react": react, "reflexion": reflexion, "autoact": autoact}
NAMES = (CAMPHOR, *CHATTING, *BASELINES)


def usual_strategy(model: object, usual: Form) -> str:
    """The name of the strategy that answers people best: one agent with tools in their own right where a model that
    was not tuned can have them."""
    return SINGLE_AGENT if usual in TOLD and isinstance(model, ChatModel) else CAMPHOR


def check_model(name: str, model: object) -> None:
    """Whether the strategy of that name can work with this model.

    Raises:
        UsageError: it needs one that takes part in conversations.
    """
    if name in CHATTING and not isinstance(model, ChatModel):
        raise UsageError(
            f"The strategy {name} asks a model by messages and tools, and this one completes texts: name a server's "
            f"model, as in  --model ollama:NAME, or another strategy: {', '.join((CAMPHOR, *BASELINES))}"
        )


def choose(name: str, form: Form | None, *, tuned: bool, usual: Form) -> tuple[Strategy, Form]:
    """The strategy of that name, and the form of its prompts.

    `agents` and `camphor` are the same roles: by the messages and tools of a conversation, and by one text as Appendix
    B has it, which any model can be given; a name of its own keeps the rows of a table apart.

    `camphor` is the trained loop for a model that was tuned to it, in whichever form, and for the forms that only a
    tuned model understands; a model that was not tuned has Appendix B's agents.

    Args:
        form: the form asked for, None for the strategy's own: `usual` for a tuned model, else everything (`Form.FULL`).

    Raises:
        UsageError: no such strategy, or one whose prompts do not come in this form.
    """
    if name not in NAMES:
        raise UsageError(f"There is no strategy {name!r}: choose from {', '.join(NAMES)}")
    if name in CHATTING:
        return CHATTING[name], Form.FULL
    if name in BASELINES:
        if form is not None and form not in TOLD:
            forms = " or ".join(each.value for each in TOLD)
            raise UsageError(f"The strategy {name} tells the model everything, not {form.value}: choose {forms}")
        return BASELINES[name], form or Form.FULL
    if tuned:
        return orchestrate, form or usual
    if form is None:
        form = Form.FULL if usual in TOLD else usual
    return (collaborate if form in TOLD else orchestrate), form
