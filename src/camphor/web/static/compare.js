// One query, two ways: each side fills as it is answered; a reload shows the last comparison again.

import { $, api, h, icon, path, plain, ready, words } from "./app.js";

const AS_USUAL = "as this model has it";
/** @type {EventSource | null} */
let source = null;
let sides = [];
let about = {};

/** Fill the form and show what was compared last. */
export async function showCompare() {
  await ready;
  const { models, forms } = await api("GET", "/api/comparisons/choices");
  about = Object.fromEntries(forms.map((form) => [form.name, form.about]));
  for (const side of [0, 1]) {
    $(`model-${side}`).replaceChildren(...models.map((name) => h("option", { value: name }, name)));
    $(`form-${side}`).replaceChildren(h("option", { value: "" }, AS_USUAL), ...forms.map((form) => h("option", { value: form.name }, form.name)));
    $(`form-${side}`).addEventListener("change", explain);
  }
  $("form-0", HTMLSelectElement).value = "names";
  $("form-1", HTMLSelectElement).value = "compressed";
  explain();
  const last = await api("GET", path("/comparisons"));
  if (last) follow(last);
}

function explain() {
  const chosen = new Set([$("form-0", HTMLSelectElement).value, $("form-1", HTMLSelectElement).value].filter(Boolean));
  $("form-about").textContent = [...chosen].map((name) => `${name}: ${about[name]}`).join(" · ");
}

$("comparing").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("compare-fault").textContent = "";
  const ways = [0, 1].map((side) => ({ model: $(`model-${side}`, HTMLSelectElement).value, form: $(`form-${side}`, HTMLSelectElement).value || null }));
  try {
    follow(await api("POST", path("/comparisons"), { query: $("compared", HTMLTextAreaElement).value, ways }));
  } catch (fault) {
    $("compare-fault").textContent = fault.message;
  }
});

let current = "";
$("halt").addEventListener("click", async () => {
  try {
    await api("POST", path(`/comparisons/${current}/stop`));
  } catch (fault) {
    $("compare-fault").textContent = fault.message;
  }
});

function follow(state) {
  source?.close();
  current = state.id;
  $("compared", HTMLTextAreaElement).value = state.query;
  $("both").hidden = false;
  sides = state.ways.map((way, place) => side(way, place));
  $("both").replaceChildren(...sides.map((each) => each.card));
  let last = 0;
  const heard = (event) => {
    if (event.number <= last) return;
    last = event.number;
    show(event);
  };
  busy(true);
  state.happened.forEach(heard);
  if (!state.running) {
    busy(false);
    return;
  }
  source = new EventSource(path(`/comparisons/${state.id}/stream?after=${last}`));
  source.addEventListener("step", (message) => heard(JSON.parse(message.data)));
  source.addEventListener("error", () => $("compare-state").replaceChildren("The connection is lost: trying again…"));
}

function busy(on) {
  $("run", HTMLButtonElement).disabled = on;
  $("halt").hidden = !on;
}

function side(way, place) {
  const log = h("div", { class: "steps" });
  const end = h("div", {});
  const title = h("h3", { id: `side-${place}` }, `${way.model}, ${way.form ?? AS_USUAL}`);
  return { way, log, end, title, card: h("section", { class: "card side", "aria-labelledby": `side-${place}` }, title, log, end) };
}

const call = (each) => h("li", {}, h("code", {}, each.name), " ", Object.entries(each.arguments).map(([name, value]) => h("span", { class: "argument" }, h("b", {}, `${name}: `), plain(value))));

const SHOW = {
  opening: (_, event) => say(`Opening ${event.model}…`),
  began(at, event) {
    at.title.textContent = `${at.way.model}, ${event.form}`;
    say(`${at.title.textContent} thinks…`);
  },
  agent(at, event) {
    at.step = h("div", { class: "step" }, h("p", {}, h("span", { class: "dot" }), h("b", {}, words(event.agent))));
    at.log.append(at.step);
  },
  calls(at, event) {
    if (!at.step) SHOW.agent(at, event);
    at.step.append(h("ul", { class: "calls" }, event.calls.map(call)));
  },
  observed(at, event) {
    const found = event.observations.map((seen) => seen.error ?? (seen.found ? `${seen.found} found` : ""));
    at.step?.append(h("p", { class: "quiet" }, found.filter(Boolean).join("; ")));
    at.step?.classList.add("done");
    at.step = null;
  },
  consent: (at, event) => at.step?.append(h("p", { class: "decision" }, icon("cross"), h("span", {}, `Planned, not done: ${event.description}`))),
  answered(at, event) {
    for (const each of at.log.querySelectorAll(".step")) each.classList.add("done");
    at.end.replaceChildren(h("p", { class: "said" }, event.response), cost(event));
    at.cost = event;
    if (sides.every((each) => each.cost)) verdict();
  },
  stopped: (at) => at.end.replaceChildren(h("p", { class: "quiet" }, "Stopped.")),
  failed: (at, event) => at.end.replaceChildren(h("p", { class: "fault" }, event.text)),
};

function show(event) {
  if (event.kind === "done") {
    source?.close();
    busy(false);
    if (!sides.every((each) => each.cost)) say(event.stopped ? "Stopped." : "One side could not answer.");
    return;
  }
  SHOW[event.kind]?.(sides[event.side], event);
}

const sum = (turns, key) => turns.reduce((total, turn) => total + turn[key], 0);
/** @type {[string, (event: any) => any][]} */
const MEASURES = [
  ["seconds", (event) => event.seconds.toFixed(2)],
  ["turns of the model", (event) => event.turns.length],
  ["tokens read", (event) => sum(event.turns, "prompt_tokens")],
  ["tokens from the cache", (event) => sum(event.turns, "cached_tokens")],
  ["tokens written", (event) => sum(event.turns, "generated_tokens")],
];

function cost(event) {
  const total = MEASURES.map(([name, of]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "figure" }, of(event).toLocaleString())));
  const turns = event.turns.map((turn) => h("li", {}, `${words(turn.agent)}: ${turn.seconds.toFixed(2)} s, ${turn.prompt_tokens} read, ${turn.cached_tokens} cached, ${turn.generated_tokens} written`));
  return h("div", {}, h("table", {}, h("caption", { class: "unseen" }, "What it took"), h("tbody", {}, total)), h("details", {}, h("summary", {}, "Each turn of the model"), h("ol", {}, turns)));
}

function verdict() {
  const plans = sides.map((each) => JSON.stringify(each.cost.calls));
  const [one, other] = sides.map((each) => each.cost.seconds);
  const same = plans[0] === plans[1] ? "Both plan the same" : "They plan differently";
  say(`${same}; ${one.toFixed(2)} s and ${other.toFixed(2)} s.`);
}

function say(text) {
  $("compare-state").textContent = text;
}
