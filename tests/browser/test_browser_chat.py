"""The chat in a real browser: the first start, consent, stop, a reload and a lost connection, the keyboard alone."""

from __future__ import annotations

from selenium.webdriver.common.keys import Keys

from tests.doubles.browser import Page, Serving
from tests.doubles.web import TEXT, WHO

WORDS = "text Alice that I am late"


def ask(page: Page, query: str) -> None:
    page.put("#query", query)
    page.press("#send")


def sent(server: Serving) -> list[object]:
    return [entry.call.arguments["content"] for entry in server.phone().journal()]


def test_somebody_new_is_led_from_the_welcome_to_an_answer(page: Page, server: Serving) -> None:
    server.mind.say(*TEXT)
    page.open("/")
    page.says("h1", "Welcome")
    assert page.one("#phones input").is_selected()
    page.says("main", "What stays private")
    page.press("#tries button", "ten minutes late")
    page.press(".consent button", "Yes, do it")
    page.says(".theirs", "Alice Johnson")
    assert sent(server) == ["I am late"]
    page.open("/chat")
    page.says(".mine", "ten minutes late")


def test_the_one_time_address_lets_a_browser_in_and_no_other(page: Page, server: Serving) -> None:
    page.driver.delete_all_cookies()
    page.open("/chat")
    page.says("h1", "does not know the way in")
    used = server.entrance.ticket
    page.open(f"/enter/{used}")
    page.says("h1", "Welcome")
    page.driver.delete_all_cookies()
    page.open(f"/enter/{used}")
    page.says("h1", "does not know the way in")


def test_a_value_is_edited_and_then_agreed_to_and_a_refusal_does_nothing(page: Page, server: Serving) -> None:
    server.mind.say(*TEXT, *TEXT, *WHO)
    page.as_known()
    page.open("/chat")
    ask(page, WORDS)
    page.press(".consent summary", "Change it first")
    page.put('.consent [name="receiver"]', "nobody I know")
    page.press(".consent button", "Yes, do it")
    page.says(".consent .fault", "nobody I know")
    assert sent(server) == []
    page.put('.consent [name="receiver"]', "Alice Johnson")
    page.put('.consent [name="content"]', "Ten minutes late")
    page.press(".consent button", "Yes, do it")
    page.says(".decision.yes", "You agreed")
    page.one(".theirs")
    assert sent(server) == ["Ten minutes late"]
    ask(page, WORDS)
    page.press(".consent button", "No")
    page.says(".decision.no", "You declined")
    page.until(lambda: len(page.all(".theirs")) == 2)
    assert sent(server) == ["Ten minutes late"]
    ask(page, "who is she?")
    page.until(lambda: len(page.all(".theirs")) == 3)
    page.press(".turn:last-child .step summary")
    page.says(".turn:last-child .records", "Alice Johnson")
    assert len(page.all("#talks li")) == 1


def test_a_question_takes_no_press_before_it_was_seen(page: Page, server: Serving) -> None:
    page.as_known()
    page.open("/chat")
    page.one(".empty")
    made = """const done = arguments[0];
    import("/static/app.js").then(({ h, unhurried }) => {
      document.getElementById("log").append(unhurried(h("div", { id: "probe" }, h("button", {}, "Yes"))));
      done(document.querySelector("#probe button").disabled);
    });"""
    assert page.driver.execute_async_script(made) is True
    page.until(lambda: page.one("#probe button").is_enabled())


def test_stop_ends_an_answer_and_nothing_is_done(page: Page, server: Serving) -> None:
    server.mind.say(*TEXT, *WHO)
    page.as_known()
    page.open("/chat")
    ask(page, WORDS)
    page.one(".consent")
    page.press("#stop")
    page.says(".stopped", "nothing was done")
    page.gone(".consent")
    ask(page, "who is Alice?")
    page.says(".theirs", "Alice Johnson")
    assert sent(server) == []


def test_what_is_sent_while_a_new_conversation_begins_is_asked_there(page: Page, server: Serving) -> None:
    page.as_known()
    page.open("/chat")
    server.mind.say(*WHO)
    page.put("#query", "who is Alice?")
    page.press("#send")
    page.one(".turn a", "Put the plan right")
    slow = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", slow)
    page.press("#new")
    server.mind.say(*WHO)
    page.put("#query", "and who is Bob?")
    page.press("#send")
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**slow, "latency": 0})
    page.says(".mine", "and who is Bob?")
    assert len(page.all(".mine")) == 1


def test_a_reload_in_the_middle_of_an_answer_goes_on(page: Page, server: Serving) -> None:
    server.mind.say(*TEXT)
    server.mind.hold(before=2)
    page.as_known()
    page.open("/chat")
    ask(page, WORDS)
    page.one(".step.done")
    page.put("#query", "not sent yet")
    page.driver.refresh()
    page.says(".mine", WORDS)
    page.one(".step.done")
    assert page.one("#query").get_property("value") == "not sent yet"
    server.mind.go_on()
    page.one(".consent")
    page.driver.refresh()
    page.press(".consent button", "Yes, do it")
    page.one(".theirs")
    assert len(page.all(".step")) == 2
    assert sent(server) == ["I am late"]


def test_a_server_that_goes_and_comes_back_loses_no_word(page: Page, server: Serving) -> None:
    server.mind.say(*TEXT, *WHO)
    page.as_known()
    page.open("/chat")
    ask(page, WORDS)
    page.one(".consent")
    server.end()
    page.says("#state", "The connection is lost")
    page.press(".consent button", "Yes, do it")
    page.says(".consent .fault", "cannot be reached")
    server.begin()
    page.one(".turn .theirs")
    page.gone(".consent")
    assert sent(server) == []
    ask(page, "who is Alice?")
    page.says(".turn:last-child .theirs", "Alice Johnson")
    assert [each.text for each in page.all(".mine")] == [WORDS, "who is Alice?"]


def test_two_browsers_see_one_conversation_and_agree_once(page: Page, server: Serving) -> None:
    server.mind.say(*TEXT)
    page.as_known()
    page.open("/chat")
    ask(page, WORDS)
    page.one(".consent")
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.open("/chat")
    page.press(".consent button", "Yes, do it")
    page.one(".theirs")
    page.driver.close()
    page.driver.switch_to.window(first)
    page.says(".decision.yes", "You agreed")
    page.one(".theirs")
    page.gone(".consent")
    assert sent(server) == ["I am late"]


def test_the_keyboard_alone_leads_through_a_conversation(page: Page, server: Serving) -> None:
    server.mind.say(*TEXT)
    page.as_known()
    page.open("/chat")
    page.one(".empty")
    page.driver.refresh()  # a conversation that is there takes no focus
    page.one(".empty")
    page.keys(Keys.TAB)
    assert page.focused(".skip")
    assert page.one(".skip").rect["x"] >= 0
    page.keys(Keys.ENTER)
    assert page.focused("#main")
    page.tab("#query")
    page.keys(WORDS, Keys.ENTER)
    page.one(".consent")
    page.until(lambda: page.focused(".consent"))
    page.keys(Keys.ENTER)  # a key that was meant for the text does not agree
    assert sent(server) == []
    page.tab(".consent summary")
    page.keys(Keys.ENTER)
    page.tab('.consent [name="content"]')
    page.keys(Keys.END, "!")
    page.tab('.consent button[type="submit"]')
    style = page.script("const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]")
    assert style == ["solid", "3px"]
    page.keys(Keys.SPACE)
    page.one(".theirs")
    assert sent(server) == ["I am late!"]
