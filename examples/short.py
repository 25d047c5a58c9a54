from camphor import Assistant, Device, LlamaModel, run_to_end, tool


@tool
def water_bed(bed: int, minutes: int) -> None:
    """Water a bed of the garden for some minutes."""


with Device.create(None, {"format": "camphor.device/1", "id": "ada", "apps": {}}) as phone, LlamaModel() as model:
    phone.add_functions("garden", water_bed)
    print(run_to_end(Assistant(phone, model), "Water bed 3 for ten minutes", consent=True).response)
