"""Static prompting (CAMPHOR, section 5.2): one prompt with every definition; the model writes lists of calls.

The paper says: the same template in every turn, all definitions in it, a sequence of calls wanted, the history of
predictions appended. It does not say when the turns end. Here they end when actions have been drafted without an error,
with an empty list, when nothing new is called, or after `limits.steps` lists.
"""

from __future__ import annotations

from camphor.agents.bounds import Limits
from camphor.agents.instructions import FORM
from camphor.agents.prompts import Setting
from camphor.agents.strategies.attempt import Attempt, submit
from camphor.agents.strategies.base import Steps
from camphor.agents.strategies.texts import ANSWER, GOAL, define, examples, lay_out
from camphor.agents.wants import Think
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
