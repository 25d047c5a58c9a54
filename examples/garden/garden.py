"""A garden that is run by voice: five functions for docs/tutorial-functions.md.

The bodies are what your own code would do; here a small garden in memory answers.
"""

from typing import Literal

READS = ("find_plant",)  # these only read; all others act, and the person is asked before

_BEDS = {"basil": "bed 2", "tomatoes": "greenhouse bed", "carrots": "north bed"}
_DIARY: list[str] = []


def find_plant(plant: str) -> str:
    """Find out in which bed a plant grows.

    Args:
        plant: The plant's name.

    Returns:
        The name of the bed.
    """
    return _BEDS.get(plant, "no bed")


def water_bed(bed: str, minutes: int) -> None:
    """Water a bed for some time.

    Args:
        bed: The bed's name, such as "bed 3" or "north bed".
        minutes: How long the water runs, in minutes.
    """
    _DIARY.append(f"watered {bed} for {minutes} minutes")


def sow(plant: str, bed: str, rows: int = 1) -> None:
    """Plan to sow a plant in a bed.

    Args:
        plant: What is sown.
        bed: The bed's name.
        rows: How many rows.
    """
    _BEDS[plant] = bed


def set_greenhouse(degrees: int | None = None, vents: Literal["open", "closed"] | None = None) -> None:
    """Set the greenhouse's temperature, its vents, or both.

    Args:
        degrees: The temperature to hold, in degrees Celsius.
        vents: Whether the vents are open or closed.
    """
    _DIARY.append(f"greenhouse: {degrees} degrees, vents {vents}")


def log_harvest(plant: str, grams: int) -> None:
    """Write down what was harvested.

    Args:
        plant: What was harvested.
        grams: How much, in grams.
    """
    _DIARY.append(f"{grams} g of {plant}")
