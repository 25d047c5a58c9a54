// The chat: events of one conversation become messages, steps and consent cards. A reload or a lost connection asks for
// the events after the last one seen; nothing is kept here but the draft.

import { $, api, h, icon, key, notice, path, phone, plain, ready, time, trying, unhurried } from "./app.js";

const AGENTS = {
  device_information: "looks at the phone",
  user_perception: "looks at what you are doing",
  personal_context: "looks in your apps",
  external_knowledge: "looks it up",
  task_completion: "gets it done",
};
const ENDS = new Set(["answered", "stopped", "failed", "interrupted"]);
const log = $("log");
const query = $("query", HTMLTextAreaElement);
const state = $("state");
const send = $("send", HTMLButtonElement);
const stop = $("stop", HTMLButtonElement);

let talk = "";
let last = 0;
/** @type {EventSource | null} */
let source = null;
/** @type {any} */
let turn = null; // the element of the query that is being answered
/** @type {any} */
let steps = null;
/** @type {any} */
let open = null; // the step under way
/** @type {HTMLElement | null} */
let draft = null; // an answer that is being written
const cards = new Map();
let moving = Promise.resolve(); // to another conversation; a query waits for it, or it would be asked in the one before

const at = (rest = "") => path(`/conversations${rest}`);
const draftKey = () => `draft:${phone()}`;
const say = (text) => (state.textContent = text);

function busy(on) {
  stop.hidden = !on;
  send.hidden = on;
}

function arguments_(call) {
  return Object.entries(call.arguments ?? {}).map(([name, value]) => h("span", { class: "argument" }, h("b", {}, `${name}: `), plain(value)));
}

function step(agent) {
  const summary = h("summary", {}, h("span", { class: "dot" }), h("b", {}, agent.replaceAll("_", " ")), h("span", { class: "quiet" }, ` ${AGENTS[agent] ?? ""}`));
  open = h("details", { class: "step" }, summary);
  steps.append(open);
  return open;
}

function records(seen) {
  if (seen.error) return h("p", { class: "fault" }, seen.error);
  if (!seen.found) return h("p", { class: "quiet" }, "nothing found");
  const rows = seen.records.map((record) =>
    h("li", {}, ...Object.entries(record).filter(([, value]) => plain(value) !== "").map(([name, value]) => h("span", { class: "argument" }, h("b", {}, `${name}: `), plain(value)))),
  );
  if (seen.found > seen.records.length) rows.push(h("li", { class: "quiet" }, `and ${seen.found - seen.records.length} more`));
  return h("ul", { class: "records" }, rows);
}

function consent(event) {
  const asked = talk; // the card answers its own question, wherever the page has gone since
  const inputs = event.fields.map((field) => {
    const id = `f${event.number}-${field.name}`;
    const given = field.is_text ? field.value ?? "" : JSON.stringify(field.value);
    const input = field.choices.length
      ? h("select", { id, name: field.name }, field.choices.map((each) => h("option", { value: each, selected: each === field.value }, plain(each))))
      : h(String(given).length > 60 ? "textarea" : "input", { id, name: field.name, value: given, required: field.required });
    return [h("label", { for: id, title: field.description }, field.name.replaceAll("_", " ")), input];
  });
  const card = h(
    "form",
    { class: "consent card", "aria-label": "Do this?", tabindex: "-1" },
    h("p", { class: "what" }, event.description),
    event.evidence?.length ? h("ul", { class: "evidence" }, event.evidence.map((each) => h("li", { class: each.doubt ? "nobody" : "" }, h("b", {}, `${each.parameter.replaceAll("_", " ")}: `), each.source))) : null,
    event.doubt && h("p", { class: "doubt" }, event.doubt),
    h("details", { class: "edit" }, h("summary", {}, "Change it first"), h("div", { class: "fields" }, inputs.flat())),
    h("p", { class: "fault", role: "alert" }),
    h("div", { class: "buttons" }, h("button", { type: "submit" }, "Yes, do it"), h("button", { type: "button", class: "plain", onclick: () => decide(asked, event, card, "no") }, "No")),
  );
  card.addEventListener("submit", (submitted) => {
    submitted.preventDefault();
    decide(asked, event, card, "yes");
  });
  cards.set(event.number, card);
  turn.append(unhurried(card));
  card.focus({ preventScroll: true }); // never a button: a key that was meant for the text must not agree
}

async function decide(asked, event, card, answer) {
  const fault = card.querySelector(".fault");
  fault.textContent = "";
  /** @type {any} */
  let values = null;
  if (answer === "yes") {
    values = { ...event.call.arguments };
    for (const field of event.fields) {
      const typed = card.elements[field.name]?.value ?? "";
      if (field.is_text && typed === (field.value ?? "")) continue;
      if (typed === "" && !field.required) delete values[field.name];
      else {
        try {
          values[field.name] = field.is_text ? typed : JSON.parse(typed);
        } catch {
          values[field.name] = typed;
        }
      }
    }
  }
  try {
    await api("POST", at(`/${asked}/consents/${event.number}`), { answer, arguments: values });
  } catch (error) {
    fault.textContent = error.message;
    if (error.status === 422) card.querySelector("details").open = true;
  }
}

function decided(event) {
  const card = cards.get(event.consent);
  if (!card) return;
  const yes = event.answer === "yes";
  card.replaceWith(h("p", { class: `decision ${yes ? "yes" : "no"}` }, icon(yes ? "check" : "cross"), h("span", {}, `${yes ? "You agreed" : "You declined"}: `), h("span", { class: "quiet" }, event.call.name.replaceAll("_", " "))));
  cards.delete(event.consent);
}

const SHOW = {
  asked(event) {
    turn = h("article", { class: "turn", "data-number": event.number }, h("p", { class: "mine" }, event.query), h("p", { class: "when quiet" }, time(event.at)));
    steps = h("div", { class: "steps" });
    turn.append(steps);
    log.querySelector(".empty")?.remove();
    log.append(turn);
    busy(true);
    say("Thinking…");
  },
  agent(event) {
    step(event.agent);
    say(`${event.agent.replaceAll("_", " ")} ${AGENTS[event.agent] ?? "works"}…`);
  },
  calls(event) {
    const held = open ?? step(event.agent);
    held.append(h("ul", { class: "calls" }, event.calls.map((call) => h("li", {}, h("code", {}, call.name), " ", arguments_(call)))));
  },
  observed(event) {
    const held = open ?? step(event.agent);
    held.append(...event.observations.map(records));
    held.classList.add("done");
    open = null;
  },
  recalled(event) {
    steps.append(h("p", { class: "recalled" }, icon("memory"), event.text));
  },
  writing(event) {
    if (!draft) {
      draft = h("p", { class: "theirs writing" });
      turn.append(draft);
    }
    draft.textContent = event.text;
  },
  consent(event) {
    consent(event);
    say("Waiting for your word.");
  },
  decided,
  answered(event) {
    const right = h("a", { href: "/teach", onclick: teaching(turn.dataset.number) }, "Put the plan right");
    turn.append(h("p", { class: "theirs" }, event.response), h("p", { class: "when quiet" }, `${time(event.at)} · ${event.seconds.toFixed(1)} s · `, right));
  },
  stopped: (event) => turn.append(h("p", { class: "theirs stopped" }, event.text)),
  failed: (event) => turn.append(h("p", { class: "theirs fault" }, event.text)),
  interrupted: (event) => turn.append(h("p", { class: "theirs fault" }, event.text)),
};

/** Leaves word for Teach which query is meant. */
const teaching = (number) => () => sessionStorage.setItem("teaching", `${talk}/${number}`);

function show(event) {
  if (event.number && event.number <= last) return;
  last = event.number || last; // what only passes has none
  if (event.kind !== "writing") {
    draft?.remove();
    draft = null;
  }
  const near = log.scrollHeight - log.scrollTop - log.clientHeight < 120;
  if (event.kind === "asked" || turn) SHOW[event.kind]?.(event);
  if (ENDS.has(event.kind)) {
    for (const card of cards.values()) card.remove();
    cards.clear();
    busy(false);
    say("");
    open?.classList.add("done");
    open = null;
    listTalks();
  }
  if (near || event.kind === "asked") log.scrollTop = log.scrollHeight;
}

function listen() {
  source?.close();
  const heard = (message) => show(JSON.parse(message.data));
  source = new EventSource(at(`/${talk}/stream?after=${last}`));
  source.addEventListener("step", heard);
  source.addEventListener("end", heard);
  source.addEventListener("open", () => document.body.classList.remove("lost"));
  source.addEventListener("error", () => {
    document.body.classList.add("lost");
    say("The connection is lost: trying again…");
    if (source?.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
}

function suggest(text) {
  query.value = text;
  query.focus();
}

function empty() {
  const examples = ["What's on today?", "Text Alice that I'll be ten minutes late", "Remind me at 6 to call mum", "Where is my next appointment?"];
  log.append(
    h(
      "div",
      { class: "empty" },
      h("h2", {}, "What can I do for you?"),
      h("p", { class: "quiet" }, document.body.dataset.far ? `What you ask goes to ${document.body.dataset.far}. ` : "Everything stays on this machine. ", "Nothing is done before you say yes."),
      h("div", { class: "examples" }, examples.map((text) => h("button", { type: "button", class: "plain", onclick: () => suggest(text) }, text))),
    ),
  );
}

async function enter(id) {
  const held = await api("GET", at(`/${id}`));
  talk = id;
  last = 0;
  turn = steps = open = null;
  cards.clear();
  localStorage.setItem(`talk:${phone()}`, id);
  log.replaceChildren();
  busy(false);
  say("");
  if (!held.happened.length) empty();
  held.happened.forEach(show);
  listen();
  listTalks();
}

function move(there) {
  moving = moving.then(() => trying(there));
  return moving;
}

async function begin() {
  await enter((await api("POST", at())).id);
  query.focus();
}

async function listTalks() {
  const all = (await api("GET", at())).filter((each) => each.events || each.id === talk);
  $("talks").replaceChildren(
    ...all.map((each) => {
      const title = each.title || "New conversation";
      return h(
        "li",
        {},
        h("button", { type: "button", class: "plain name", "aria-current": each.id === talk ? "true" : undefined, onclick: () => move(() => enter(each.id)) }, title),
        h("button", { type: "button", class: "plain small", "aria-label": `Delete ${title}`, onclick: () => move(() => remove(each, title)) }, icon("cross")),
      );
    }),
  );
}

async function remove(each, title) {
  if (!confirm(`Delete “${title}”? What was done stays done.`)) return;
  await api("DELETE", at(`/${each.id}`));
  if (each.id === talk) await start();
  else await listTalks();
}

async function start() {
  const all = await api("GET", at());
  if (!all.some((each) => each.events) && !localStorage.getItem("welcomed")) {
    location.replace("/welcome"); // somebody new
    return;
  }
  const before = localStorage.getItem(`talk:${phone()}`);
  const found = all.find((each) => each.id === before) ?? all.find((each) => !each.events);
  await (found ? enter(found.id) : begin());
}

// A browser keeps few connections to one server: a page that nobody sees gives its own back.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) source?.close();
  else if (talk) listen();
});

$("composer").addEventListener("submit", async (event) => {
  event.preventDefault();
  await moving;
  const text = query.value.trim();
  if (!text || send.hidden || send.disabled) return;
  const once = key();
  busy(true);
  try {
    await api("POST", at(`/${talk}/queries`), { query: text, key: once });
    query.value = "";
    localStorage.removeItem(draftKey());
    grow();
  } catch (fault) {
    busy(false);
    notice(fault.message, "fault");
  }
});
stop.addEventListener("click", () => trying(() => api("POST", at(`/${talk}/stop`))));
$("new").addEventListener("click", () => move(begin));

function grow() {
  query.rows = Math.min(8, query.value.split("\n").length);
}
query.addEventListener("input", () => {
  grow();
  localStorage.setItem(draftKey(), query.value);
});
query.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("composer", HTMLFormElement).requestSubmit();
  }
});

await ready;
query.value ||= localStorage.getItem(draftKey()) ?? ""; // what was typed meanwhile stays
grow();
await move(start);
send.disabled = !talk;
