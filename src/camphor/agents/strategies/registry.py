"""The strategies by the names that commands and result files use."""

from __future__ import annotations

from camphor.agents.orchestrator import orchestrate
from camphor.agents.prompts import TOLD, Form
from camphor.agents.strategies.autoact import autoact
from camphor.agents.strategies.base import Strategy
from camphor.agents.strategies.collaboration import collaborate
from camphor.agents.strategies.react import react
from camphor.agents.strategies.reflexion import reflexion
from camphor.agents.strategies.static import static
from camphor.errors import UsageError

CAMPHOR = "camphor"
BASELINES: dict[str, Strategy] = {"static": static, "react": react, "reflexion": reflexion, "autoact": autoact}
NAMES = (CAMPHOR, *BASELINES)


def choose(name: str, form: Form | None, *, tuned: bool, usual: Form) -> tuple[Strategy, Form]:
    """The strategy of that name, and the form of its prompts.

    `camphor` is the trained loop for a model that was tuned to it, in whichever form, and for the forms that only a
    tuned model understands; a model that was not tuned has Appendix B's agents.

    Args:
        form: the form asked for, None for the strategy's own: `usual` for a tuned model, else everything (`Form.FULL`).

    Raises:
        UsageError: no such strategy, or one whose prompts do not come in this form.
    """
    if name not in NAMES:
        raise UsageError(f"There is no strategy {name!r}: choose from {', '.join(NAMES)}")
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
