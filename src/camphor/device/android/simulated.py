"""The executor over a simulated Android phone: a device on which the four Android apps are installed.

`camphor.tools.plans.execute(plan, phone.result)` runs a plan of nested calls on it; with `together=1` the journal has
them in the plan's order. Actions go through the device's journal like those of any other app.
"""

from __future__ import annotations

from typing import Any

from camphor.device.android.toolbox import FUNCTIONS
from camphor.device.device import Device
from camphor.errors import ToolError, UsageError
from camphor.tools.toolbox import Toolbox
from camphor.types import Call, Observation

RESULT = "result"
"""The field of an observation's first record that holds what the call gave back."""


class SimulatedPhone:
    """Runs calls on a device.

    Raises:
        UsageError: an Android app is not installed on it.
    """

    def __init__(self, device: Device) -> None:
        missing = [app for app in FUNCTIONS if app not in device.apps]
        if missing:
            raise UsageError(f"{device.id} is no Android phone: {', '.join(missing)} is not installed on it")
        self._device = device
        self.toolbox = Toolbox(tool for tool in device.toolbox if tool.app in FUNCTIONS)

    def run(self, call: Call, key: str | None = None) -> Observation:
        """Carries out one call; one that cannot be carried out gives an observation with an `error`.

        Args:
            key: names an action that must not be done twice, as for `Device.execute`.

        Raises:
            StoreError: the device cannot be read or written; nothing was changed.
        """
        return self._device.execute(call, key)

    def result(self, call: Call) -> Any:
        """Carries out one call and gives `result_of` it.

        Raises:
            ToolError: it cannot be carried out; says why. StoreError: as `run`.
        """
        observation = self.run(call)
        if observation.error is not None:
            raise ToolError(observation.error)
        return result_of(observation)


def result_of(observation: Observation) -> Any:
    """What the call gave back: a URI, a list of URIs, a contact's detail; None where it gives nothing back."""
    return observation.records[0].get(RESULT) if observation.records else None
