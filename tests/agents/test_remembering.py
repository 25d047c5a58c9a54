"""Ways to say that something is to be remembered, forgotten or told; and what only sounds so."""

from __future__ import annotations

import pytest

from camphor.agents.memory.remembering import Forget, Recall, Remember, understand

REMEMBER = [
    ("remember that my sister is Nora", "me", "sister", "Nora"),
    ("Remember my sister is Nora.", "me", "sister", "Nora"),
    ("remember: my sister's name is Nora", "me", "sister", "Nora"),
    ("please remember that my sister is called Nora", "me", "sister", "Nora"),
    ("Could you remember that Nora is my sister?", "me", "sister", "Nora"),
    ("I want you to remember that my dentist is Dr Ode", "me", "dentist", "Dr Ode"),
    ("hey, can you please remember my dentist is Dr Ode, thanks", "me", "dentist", "Dr Ode"),
    ("keep in mind that I'm allergic to peanuts", "me", "allergic to", "peanuts"),
    ("Bear in mind I am vegetarian", "me", "am", "vegetarian"),
    ("don't forget that my dentist is Dr Ode", "me", "dentist", "Dr Ode"),
    ("Never forget that I live in Dublin", "me", "live", "Dublin"),
    ("Don't forget my wife's birthday is 4 May", "me", "wife birthday", "4 May"),
    ("for future reference, my shoe size is 42", "me", "shoe size", "42"),
    ("FYI my sister is Nora", "me", "sister", "Nora"),
    ("just so you know, I hate coriander", "me", "opinion of coriander", "dislike"),
    ("you should know that I prefer aisle seats", "me", "prefers seats", "aisle seats"),
    ("remember I like my coffee black", "me", "opinion of coffee black", "like"),
    ("Remember that I prefer tea to coffee", "me", "prefers coffee tea", "tea"),
    ("save to your memory that my locker code is 4711", "me", "locker code", "4711"),
    ("add to memory: my car is a blue Polo", "me", "car", "a blue Polo"),
    ("put this in your memory: our landlord is Mr Finch", "me", "landlord", "Mr Finch"),
    ("commit to memory that my bike lock number is 5 5 3", "me", "bike lock number", "5 5 3"),
    ("memorise that my favourite colour is green", "me", "favourite colour", "green"),
    ("memorize my favorite color is green", "me", "favourite colour", "green"),
    ("learn that my boss is Ana Prieto", "me", "boss", "Ana Prieto"),
    ("My sister is Nora, remember that", "me", "sister", "Nora"),
    ("I'm allergic to nuts. Please remember that.", "me", "allergic to", "nuts"),
    ("I hate olives, keep that in mind", None, None, None),
    ("ok so remember that Nora's birthday is on 4 May", "nora", "birthday", "on 4 May"),
    ("remember my wifi password is hunter2", "me", "wifi password", "hunter2"),
    ("Remember that my usual order is a flat white", "me", "usual order", "a flat white"),
    ("please keep in mind: my mum is Eva Keane", "me", "mum", "Eva Keane"),
    ("remember my sister is nora", "me", "sister", "nora"),
    ("remember that I work at Trinity", "me", "work", "Trinity"),
    ("remember that I'm 34 years old", "me", "age", "34"),
    ("remember that our anniversary is 9 June", "me", "anniversary", "9 June"),
    ("Remember that my office is in Grafton Street", "me", "office in", "in Grafton Street"),
    ("remember I don't eat pork", "me", "opinion of pork", "dislike"),
    ("remember this: my doctor is Dr Lam", "me", "doctor", "Dr Lam"),
    ("remember the fact that my sister is allergic to cats", "me", "sister is", "allergic to cats"),
    ("I'd like you to remember my gym is FitLab", "me", "gym", "FitLab"),
    ("remember that the bins go out on Tuesdays", "", "", ""),
    ("make a mental note that my passport expires in May", None, None, None),
    ("you can remember that I drive a Golf", "me", "drive", "a Golf"),
    ("remember my plumber is Old Mr Finch", "me", "plumber", "Old Mr Finch"),
    ("remember Tom is my plumber", "me", "plumber", "Tom"),
    ("from now on remember that I only drink decaf", "me", "do", "only drink decaf"),
    ("remember that my plumber's number is 555 0101", "me", "plumber number", "555 0101"),
    ("remember that I can't stand jazz", "me", "opinion of jazz", "dislike"),
]
FORGET = [
    ("forget what I said about coffee", "coffee"),
    ("Forget what I told you about my sister", "my sister"),
    ("please forget everything I said to you about coffee", None),
    ("forget everything you know about my dentist", "my dentist"),
    ("delete what you remember about work", "work"),
    ("erase everything about coffee from your memory", "coffee"),
    ("remove the wifi password from your memory", "the wifi password"),
    ("delete the memory about my gym", "my gym"),
    ("can you forget that my sister is Nora", "My sister is Nora"),
    ("forget that I like coffee", "I like coffee"),
    ("forget my sister is Nora", "My sister is Nora"),
    ("stop remembering what I told you about Nora", "Nora"),
    ("don't remember that I like jazz", "I like jazz"),
    ("forget about my dentist", "my dentist"),
    ("forget my shoe size", "my shoe size"),
    ("you can forget what I've told you about olives", "olives"),
    ("wipe what you know about my job", "my job"),
    ("forget all I told you about the office", None),
]
FORGET_ALL = [
    "forget everything",
    "forget everything you know about me",
    "Please forget everything I told you.",
    "wipe your memory",
    "clear all of your memory",
    "delete all memories",
    "erase everything you remember about me",
    "forget all about me",
    "delete your memories about me",
    "erase everything from your memory",
    "forget what you know about me",
]
RECALL = [
    "what do you know about me",
    "What do you know about me?",
    "what do you remember about me",
    "so what do you remember?",
    "what have I told you so far",
    "What have I asked you to remember?",
    "show me your memory",
    "list all your memories",
    "show what you know about me",
    "tell me everything you know about me",
    "what's in your memory?",
    "do you know anything about me?",
    "hey what did you learn about me",
    "What have you stored about me?",
    "could you tell me what you remember about me",
    "which things do you remember about me",
    "how much do you know about me",
]
RECALL_ABOUT = [
    ("what do you know about my sister?", "my sister", False),
    ("what do you remember about Nora", "Nora", True),
    ("what have I told you about coffee?", "coffee", True),
    ("what did I tell you about my dentist", "my dentist", True),
    ("tell me what you know about work", "work", False),
    ("do you remember that my sister is Nora?", "my sister is Nora", False),
    ("show me your memories about food", "food", True),
]
NOTHING = [
    "remind me to call Nora",
    "remind me that my sister is coming at 5",
    "remember to buy milk",
    "Remember to call my sister tomorrow",
    "please remember to water the plants at 6",
    "remember the milk",
    "remember me to ring mum",
    "don't forget the milk",
    "don't forget to text Nora",
    "do not forget my umbrella",
    "don't forget about the meeting",
    "don't let me forget the keys",
    "don't let me forget to pay the rent",
    "I keep forgetting to call the dentist, set a reminder",
    "remember that I need to pick up my sister at 5",
    "remember that I have to pay the rent",
    "remember I must call the bank on Monday",
    "remember I should buy flowers",
    "remember that we need milk",
    "forget it",
    "Forget that.",
    "forget about it",
    "never mind, forget it",
    "forget this",
    "I forgot my password, what is it",
    "did I forget anything today?",
    "I always forget her birthday, put it in the calendar",
    "what did I forget",
    "my sister is Nora, text her that I'm late",
    "remember my sister? text her",
    "do you remember when my flight is?",
    "do you know when the shop closes",
    "what do you know",
    "what do I know about Porto",
    "what does Nora know about me",
    "what did Nora say about me",
    "tell me about my day",
    "show me my memories from last summer in photos",
    "show me my notes",
    "list my reminders",
    "delete all my messages",
    "delete the note about coffee",
    "erase the reminder",
    "remove my meeting with Nora from the calendar",
    "clear my calendar on Friday",
    "cancel everything tomorrow",
    "forget the meeting, cancel it",
    "forget about the dentist, cancel the appointment",
    "note that my sister is Nora",
    "write down that my dentist is Dr Ode",
    "make a note: the wifi password is hunter2",
    "add my sister's birthday to the calendar",
    "save this in my notes: gym is FitLab",
    "remember that for me in a note: gym is FitLab",
    "text Nora: remember that my flight is at 6",
    "tell Nora to remember that dinner is at 8",
    "ask Tom if he remembers my address",
    "help me remember the passport",
    "what should I remember to buy",
    "I can't remember where I parked",
    "when is my sister's birthday",
    "who is my dentist",
    "please remember me 20 minutes before",
    "already? forget it then, delete the event",
    "don't remind me, only note it: gym is FitLab",
    "somebody hand me a pen. remember milk",
    "play Remember the Time",
    "play the song Forget You",
    "Don't You (Forget About Me), play it",
    "read me the message about memory cards",
    "how do I clear the memory of my phone",
    "look up how to improve my memory",
    "remember that my sister is Nora and text her that I'm late",
    "do you like music",
    "who told you about the party",
    "where do you get good bread",
    "tell my boss I forgot the report",
    "is there anything I should know about tomorrow",
    "what have I got today",
    "show me everything about the lease",
    "remember when we went to Porto?",
    "remember that this is my favourite song",
    "Remove all.",
    "erase all",
]


@pytest.mark.parametrize(("query", "subject", "attribute", "value"), REMEMBER)
def test_what_is_to_be_remembered(query: str, subject: str | None, attribute: str | None, value: str | None) -> None:
    wish = understand(query)
    assert isinstance(wish, Remember), wish
    if subject is not None:
        assert (wish.fact.subject, wish.fact.attribute, wish.fact.value) == (subject, attribute, value)


@pytest.mark.parametrize(("query", "about"), FORGET)
def test_what_is_to_be_forgotten(query: str, about: str | None) -> None:
    wish = understand(query)
    assert isinstance(wish, Forget), wish
    assert not wish.everything
    assert about in (None, wish.about)


@pytest.mark.parametrize("query", FORGET_ALL)
def test_everything_is_to_be_forgotten(query: str) -> None:
    assert understand(query) == Forget(everything=True)


@pytest.mark.parametrize("query", RECALL)
def test_all_that_is_remembered_is_asked_for(query: str) -> None:
    assert understand(query) == Recall()


@pytest.mark.parametrize(("query", "about", "sure"), RECALL_ABOUT)
def test_what_is_remembered_of_something_is_asked_for(query: str, about: str, sure: bool) -> None:
    assert understand(query) == Recall(about, sure=sure)


@pytest.mark.parametrize("query", NOTHING)
def test_what_is_for_the_agents(query: str) -> None:
    assert understand(query) is None


def test_the_last_one_its_number_and_its_source() -> None:
    assert understand("forget the last thing I told you") == Forget(last=True, sure=False)
    assert understand("forget what I just told you") == Forget(last=True, sure=False)
    assert understand("forget memory 12") == Forget(number=12)
    assert understand("how do you know that?") == Recall(source=True, sure=False)
    assert understand("who told you that") == Recall(source=True, sure=False)


def test_there_are_enough_of_each() -> None:
    assert len(REMEMBER) + len(FORGET) + len(FORGET_ALL) + len(RECALL) + len(RECALL_ABOUT) >= 100
    assert len(NOTHING) >= 60
