// What is remembered, with its source, to correct, settle and forget; and what is kept of the use of the phone.

import { $, all, api, ask, h, notice, one, path, phone, ready, tabs, time, trying, words } from "./app.js";

const PAGE = 20;
const many = (count, one) => `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`;
const STATES = { confirmed: ["", ""], unsure: ["not sure", "warn"], superseded: ["no longer so", ""], forgotten: ["forgotten", ""] };

// memories

async function showMemories() {
  const asked = new URLSearchParams({ about: $("about-words", HTMLInputElement).value.trim(), all: String($("all", HTMLInputElement).checked) });
  const told = await api("GET", path(`/memories?${asked}`));
  $("noting", HTMLInputElement).checked = !told.paused;
  $("count").textContent = told.memories.length ? many(told.memories.length, "thing") : $("about-words", HTMLInputElement).value.trim() ? "Nothing about that is remembered." : "Nothing is remembered of you yet.";
  const by = new Map(told.memories.map((each) => [each.id, each]));
  $("memories").replaceChildren(...told.memories.map((each) => memoryCard(each, by)));
  $("forget-all", HTMLButtonElement).disabled = !told.memories.some((each) => each.state !== "forgotten");
}

function memoryCard(memory, by) {
  const [state, kind] = STATES[memory.state];
  if (memory.state === "forgotten") {
    return h("li", { class: "card memory" }, h("p", { class: "quiet" }, `No. ${memory.id} was forgotten ${memory.when}. Nothing else is left of it.`));
  }
  const card = h(
    "li",
    { class: "card memory", "data-id": memory.id },
    h("div", { class: "head" }, h("h3", {}, memory.what), h("span", { class: "chip" }, memory.kind === "episode" ? "what was done" : memory.kind), state ? h("span", { class: `chip ${kind}` }, state) : null),
    memory.quote ? h("blockquote", {}, `${memory.kind === "episode" ? "You asked" : "You said"} on ${memory.when}: “${memory.quote}”`, memory.conversation ? [" · ", toConversation(memory.conversation)] : null) : null,
    ...memory.items.map((item) => h("p", { class: "quiet" }, item.says ? `In ${words(item.app)}: ${item.says}` : `What it speaks of is no longer in ${words(item.app)}.`)),
    memory.uses ? h("p", { class: "quiet" }, `Used ${memory.uses === 1 ? "once" : `${memory.uses} times`}, last on ${time(memory.used)}`) : null,
  );
  if (memory.contradicts.length) {
    const others = memory.contradicts.map((id) => by.get(id)?.what ?? `no. ${id}`).join("; ");
    card.append(h("p", {}, `It contradicts: ${others}. Which holds?`));
  }
  const named = (what) => ({ type: "button", class: "plain small", "aria-label": `${what}: ${memory.what}` });
  const act = (verb, doing) => h("button", { ...named(verb), onclick: () => trying(doing) }, verb);
  const buttons = h("div", { class: "buttons" });
  if (memory.state === "unsure") {
    buttons.append(act("This holds", () => say("POST", `/memories/${memory.id}/confirm`, { both: false })));
    if (memory.contradicts.length) {
      buttons.append(act("Both hold", () => say("POST", `/memories/${memory.id}/confirm`, { both: true })), act("The older one holds", () => forget(memory)));
    }
  }
  if (memory.kind !== "episode" && memory.state !== "superseded") buttons.append(act("Correct", () => correct(memory, buttons)));
  buttons.append(act("Forget", () => forget(memory)));
  card.append(buttons);
  return card;
}

function toConversation(id) {
  return h("a", { href: "/chat", onclick: () => localStorage.setItem(`talk:${phone()}`, id) }, "the conversation");
}

async function say(method, rest, body) {
  const told = await api(method, path(rest), body);
  await showMemories();
  notice(told.response);
}

function correct(memory, buttons) {
  const input = h("input", { id: `correct-${memory.id}`, maxlength: 4000, required: true, value: memory.text, autocomplete: "off" });
  const fault = h("p", { class: "fault", role: "alert" });
  const form = h(
    "form",
    {},
    h("label", { for: input.id }, "What is right"),
    input,
    fault,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "small" }, "Put it right"), h("button", { type: "button", class: "plain small", onclick: close }, "Cancel")),
  );
  function close() {
    form.replaceWith(buttons);
    one(buttons, "button").focus();
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fault.textContent = "";
    try {
      await say("POST", `/memories/${memory.id}/correct`, { text: input.value });
    } catch (error) {
      fault.textContent = error.message;
    }
  });
  buttons.replaceWith(form);
  input.focus();
  input.select();
}

async function forget(memory) {
  const kept = memory.conversation ? " The conversation in which you said it stays: it can be deleted under Chat." : "";
  if (!(await ask("Forget this for good?", `“${memory.what}” will be in no file of this phone any more.${kept}`, "Forget it", "danger"))) return;
  const done = await api("DELETE", path(`/memories/${memory.id}`));
  await showMemories();
  notice(done.erased ? "Forgotten for good" : "Forgotten; another program has the phone open, and traces stay in its log until it ends");
}

$("remember").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("remember-fault").textContent = "";
  try {
    const told = await api("POST", path("/memories"), { text: $("sentence", HTMLInputElement).value });
    $("sentence", HTMLInputElement).value = "";
    $("about-words", HTMLInputElement).value = "";
    await showMemories();
    notice(told.response);
    if (told.memory) all(document, `[data-id="${Number(told.memory)}"] button`)[0]?.focus();
  } catch (fault) {
    $("remember-fault").textContent = fault.message;
  }
});
$("about").addEventListener("submit", (event) => {
  event.preventDefault();
  trying(showMemories);
});
$("about-words").addEventListener("search", () => trying(showMemories));
$("all").addEventListener("change", () => trying(showMemories));

function switched(box, rest, on, off) {
  box.addEventListener("change", async () => {
    const wanted = box.checked;
    try {
      await api("PUT", path(rest), { paused: !wanted });
      notice(wanted ? on : off);
    } catch (fault) {
      box.checked = !wanted;
      notice(fault.message, "fault");
    }
  });
}
switched($("noting"), "/memories/paused", "What is done in conversations is noted again", "Paused: what you say to remember is still kept");
switched($("use-noting"), "/usage/paused", "The use of the phone is noted again", "Paused: nothing more is noted");

$("forget-all").addEventListener("click", () =>
  trying(async () => {
    if (!(await ask("Forget everything?", "All that is remembered of you on this phone is deleted for good. Conversations stay: they can be deleted under Chat.", "Forget everything", "danger"))) return;
    const done = await api("DELETE", path("/memories"));
    await showMemories();
    notice(`Forgotten for good: ${many(done.forgotten, "thing")}`);
  }),
);

// use

let from = 0;
let kinds = [];

async function showUse(more = false) {
  if (!more) from = 0;
  const asked = new URLSearchParams({ query: $("use-words", HTMLInputElement).value.trim(), start: String(from), most: String(PAGE) });
  const told = await api("GET", path(`/usage?${asked}`));
  kinds = told.kinds;
  $("use-noting", HTMLInputElement).checked = !told.paused;
  if (!more) $("used").replaceChildren();
  $("used").append(...told.items.map(useCard));
  from += told.items.length;
  const skipped = told.skipped ? ` ${many(told.skipped, "entry")} of the imported file could not be read as events.`.replace("entrys", "entries") : "";
  $("use-count").textContent = (told.total ? `${many(told.total, "item")} used, those used most of late first.` : "Nothing is kept.") + skipped;
  $("use-more").hidden = from >= told.total;
  $("use-forget-all", HTMLButtonElement).disabled = !told.total && !$("use-words", HTMLInputElement).value;
}

function useCard(item) {
  const events = h("details", {}, h("summary", {}, "Each event"), h("ul", { class: "events" }));
  const where = new URLSearchParams({ app: item.app, list: item.list });
  const load = async () => {
    const found = await api("GET", path(`/usage/events?${where}&item=${item.item}`));
    if (!found.length) return showUse();
    one(events, "ul").replaceChildren(...found.map((event) => eventRow(event, load)));
  };
  events.addEventListener("toggle", () => events.open && trying(load));
  const drop = async () => {
    if (!(await ask("Forget its use?", `What is kept about the use of “${short(item.title)}” is deleted for good. It stays in ${words(item.app)}.`, "Forget its use", "danger"))) return;
    const done = await api("DELETE", path(`/usage/items/${item.item}?${where}`));
    await showUse();
    notice(`Deleted ${many(done.forgotten, "event")}`);
  };
  return h(
    "li",
    { class: "card memory" },
    h("div", { class: "head" }, h("h3", {}, short(item.title)), h("span", { class: "chip" }, words(item.app))),
    item.says === item.title ? null : h("p", { class: "quiet" }, item.says),
    h("ul", { class: "parameters" }, item.why.map((line) => h("li", {}, line))),
    events,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain small", "aria-label": `Forget the use of ${short(item.title)}`, onclick: () => trying(drop) }, "Forget its use")),
  );
}

const short = (text) => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

function eventRow(event, reload) {
  const told = `${event.kind} on ${time(event.at)}${event.place ? `, ${event.place}` : ""}`;
  const row = h("li", {}, h("span", { class: "told" }, told));
  const drop = async () => {
    if (!(await ask("Take this event away?", `“${told}” will count no more.`, "Take it away", "danger"))) return;
    await api("DELETE", path(`/usage/events/${event.event}`));
    await reload();
  };
  row.append(
    h("button", { type: "button", class: "plain small", "aria-label": `Correct: ${told}`, onclick: () => row.replaceWith(eventForm(event, row, reload)) }, "Correct"),
    h("button", { type: "button", class: "plain small", "aria-label": `Take away: ${told}`, onclick: () => trying(drop) }, "Take away"),
  );
  return row;
}

function eventForm(event, row, reload) {
  const id = (name) => `e${event.event}-${name}`;
  const kind = h("select", { id: id("kind") }, kinds.map((each) => h("option", { value: each, selected: each === event.kind }, each)));
  const at = h("input", { id: id("at"), type: "datetime-local", step: 1, value: event.at.slice(0, 19), required: true });
  const place = h("input", { id: id("place"), value: event.place, maxlength: 200 });
  const field = (name, label, input) => h("div", {}, h("label", { for: id(name) }, label), input);
  const fault = h("p", { class: "fault", role: "alert" });
  const form = h(
    "form",
    { class: "told" },
    h("div", { class: "row" }, field("kind", "What became of it", kind), field("at", "When", at), field("place", "Where", place)),
    fault,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "small" }, "Put it right"), h("button", { type: "button", class: "plain small", onclick: () => form.parentElement?.replaceWith(row) }, "Cancel")),
  );
  form.addEventListener("submit", async (submitted) => {
    submitted.preventDefault();
    try {
      await api("PATCH", path(`/usage/events/${event.event}`), { kind: kind.value, at: at.value, place: place.value });
      await reload();
    } catch (error) {
      fault.textContent = error.message;
    }
  });
  return h("li", {}, form);
}

$("use-search").addEventListener("submit", (event) => {
  event.preventDefault();
  trying(showUse);
});
$("use-words").addEventListener("search", () => trying(showUse));
$("use-more").addEventListener("click", () => trying(() => showUse(true)));
$("use-forget-all").addEventListener("click", () =>
  trying(async () => {
    if (!(await ask("Forget all use?", "All that is kept about the use of this phone is deleted for good. What is on the phone stays.", "Forget all use", "danger"))) return;
    const done = await api("DELETE", path("/usage"));
    await showUse();
    notice(`Deleted ${many(done.forgotten, "event")}`);
  }),
);

await ready;
$("give-out", HTMLAnchorElement).href = path("/memories/export");
const loaded = { remembered: showMemories, use: showUse };
tabs(document.querySelector('[role="tablist"]'), (id) => trying(() => loaded[id]()));
