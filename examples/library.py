"""An assistant in one's own program: a phone, two functions of this file, and a person who is asked before it acts."""

from camphor import Answer, Answered, Assistant, CamphorError, ConsentNeeded, Decision, Device, LlamaModel, tool

PHONE = {
    "format": "camphor.device/1",
    "id": "ada",
    "now": "2026-03-12T08:45:00",
    "apps": {"contacts": {"people": [{"name": "Alice Johnson", "phone_number": "555-0101"}]}, "reminders": {}},
}


@tool(reads=True)
def find_plant(plant: str) -> list[dict[str, str]]:
    """Find out in which bed of the garden a plant grows."""
    garden = [{"plant": "basil", "grows in": "greenhouse"}, {"plant": "carrots", "grows in": "north bed"}]
    return [each for each in garden if plant.lower() in each["plant"]]


@tool
def water_bed(bed: str, minutes: int) -> None:
    """Water a bed of the garden for some minutes."""


def ask(assistant: Assistant, query: str) -> str:
    """The answer to a query; the person says yes or no to each action."""
    run = assistant.run(query)
    event = next(run)
    while not isinstance(event, Answered):
        if isinstance(event, ConsentNeeded):
            if event.doubt:  # what only a person can tell, such as whose a number is that no contact has
                print(event.doubt)
            yes = input(f"{event.description} (y/n) ") == "y"
            event = run.send(Decision(Answer.YES if yes else Answer.NO))
        else:
            event = next(run)
    return event.response


if __name__ == "__main__":
    with Device.create(None, PHONE) as phone, LlamaModel() as model:
        phone.add_functions("garden", find_plant, water_bed)
        assistant = Assistant(phone, model)
        for query in ("Where does the basil grow?", "Water bed 3 for ten minutes and remind me at 6 to call Alice"):
            try:
                print(ask(assistant, query))
            except CamphorError as error:  # one sentence for a person: what is wrong, and what to do
                print(error)
        print(phone.records("reminders", "reminders"))
