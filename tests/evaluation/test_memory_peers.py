"""mem0's and Letta's way of keeping facts, with a model that says what a test has it say."""

from __future__ import annotations

from pathlib import Path

import pytest

from camphor.device.device import Device
from camphor.models.base import ScriptedModel
from camphor.models.llama import LlamaModel, embedded_model
from camphor_lab.evaluation.memory_peers import AskedMemory, BlockMemory, ExtractedMemory
from tests.evaluation.test_memory_weeks import PHONE


def told(way: type[AskedMemory], replies: list[str], *said: str) -> list[str]:
    """What is kept after these turns."""
    with Device.create(None, PHONE, "kai") as device:
        memory = way(device, "talk", mind=ScriptedModel(replies))
        for number, query in enumerate(said, 1):
            loop = memory.answer(query, number)
            with pytest.raises(StopIteration) as end:
                next(loop)
            assert end.value.value is None  # the agents answer
        return [each.text for each in memory._living()]


def test_facts_are_extracted_and_then_compared_with_those_that_are_kept() -> None:
    replies = ['["The user takes the 7:20 train", "The user has a cat"]', "ADD", '["The user takes the 7:45 train"]']
    kept = told(
        ExtractedMemory, [*replies, "UPDATE 0", "[]"], "my train is the 7:20", "the 7:45 now", "how late is it?"
    )
    assert kept == ["The user has a cat", "The user takes the 7:45 train"]
    gone = told(ExtractedMemory, ['["The user has a cat"]', '["The user has no cat"]', "DELETE 0"], "a cat", "no cat")
    assert gone == []
    assert told(ExtractedMemory, ['["The user has'], "cut off") == []


def test_a_block_is_edited_line_by_line() -> None:
    replies = ["ADD takes the 7:20", "NONE", "REPLACE 0 takes the 7:45", "ADD has a cat", "DELETE 0"]
    assert told(BlockMemory, replies[:4], "a", "b", "c", "d") == ["takes the 7:45", "has a cat"]
    assert told(BlockMemory, replies, "a", "b", "c", "d", "e") == ["has a cat"]


@pytest.mark.parametrize("way", [ExtractedMemory, BlockMemory])
def test_the_embedded_model_keeps_to_the_form(way: type[AskedMemory], tmp_path: Path) -> None:
    mind = LlamaModel(embedded_model(), adapter=False, context=2048, threads=2, merged_folder=tmp_path)
    try:
        with Device.create(None, PHONE, "kai") as device:
            memory = way(device, "talk", mind=mind)
            for number, query in enumerate(("I take the 7:20 train to work", "my cat is called Tim"), 1):
                assert list(memory.answer(query, number)) == []
            assert all(each.text.strip() for each in memory._living())
    finally:
        mind.close()
