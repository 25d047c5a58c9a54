// Past queries and their plans: calls are dropped, changed and added; what is saved becomes a sample.

import { $, all, api, ask, h, icon, notice, one, path, plain, ready, tabs, time, trying, words } from "./app.js";

const many = (count, one) => `${count} ${count === 1 ? one : `${one}s`}`;
const AGENTS = {
  device_information: "looks at the phone",
  user_perception: "looks at what you are doing",
  personal_context: "looks in the apps",
  external_knowledge: "looks it up",
  task_completion: "does it",
};
const ENDED = { stopped: "you stopped it", failed: "it failed", interrupted: "it was cut off" };
let tools = new Map();
let past = [];
/** @type {any} */
let plan = null;
let calls = []; // {name, step, values}; values hold text where a field takes text
let serial = 0;

// choosing

async function showPast() {
  past = await api("GET", path("/taught/queries"));
  list();
}

function list() {
  const wanted = $("filter", HTMLInputElement).value.trim().toLowerCase();
  const found = past.filter((each) => each.query.toLowerCase().includes(wanted));
  $("queries-state").textContent = past.length
    ? wanted && `${many(found.length, "query").replace("querys", "queries")} found`
    : "Nothing was asked on this phone yet: ask something in Chat first.";
  $("past").replaceChildren(
    ...found.map((each) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "card asked", onclick: () => trying(() => open(each.talk, each.number)) },
          h("span", { class: "query" }, each.query),
          h("span", { class: "quiet" }, [time(each.at), ENDED[each.ended], each.calls.map(words).join(", ") || "no calls"].filter(Boolean).join(" · ")),
          each.sample && h("span", { class: "chip good" }, "taught"),
        ),
      ),
    ),
  );
}

async function open(talk, number) {
  plan = await api("GET", path(`/taught/queries/${talk}/${number}`));
  sessionStorage.setItem("teaching", `${talk}/${number}`);
  $("choosing").hidden = true;
  $("plan").hidden = false;
  $("plan-title").textContent = `“${plan.query}”`;
  $("plan-about").textContent = [time(plan.at), ENDED[plan.ended], plan.response && `it said: ${plan.response}`].filter(Boolean).join(" · ");
  $("plan-history").hidden = !plan.history.length;
  one($("plan-history"), "ul").replaceChildren(...plan.history.map((query) => h("li", {}, query)));
  $("plan-fault").textContent = "";
  fill(plan.taught ?? plan.calls, plan.taught ? plan.taught_response : plan.ended === "answered" ? plan.response : "");
  $("plan-title").focus({ preventScroll: true });
  scrollTo(0, 0);
}

function close() {
  sessionStorage.removeItem("teaching");
  plan = null;
  $("plan").hidden = true;
  $("choosing").hidden = false;
}

// the plan

function fill(from, response) {
  calls = from.map((call) => ({ name: call.name, step: call.step, values: { ...call.arguments } }));
  $("response", HTMLTextAreaElement).value = response;
  draw();
}

function draw(focus = -1) {
  $("calls").replaceChildren(...calls.map(card));
  $("no-calls").hidden = calls.length > 0;
  $("answering").hidden = calls.some((call) => tools.get(call.name)?.acts);
  if (focus >= 0) all($("calls").children[focus] ?? document.createElement("p"), "input, textarea, select, button")[0]?.focus();
}

function card(call, place) {
  const tool = tools.get(call.name);
  const id = ++serial;
  const fields = tool ? tool.fields : Object.keys(call.values).map((name) => ({ name, description: "", required: false, choices: [] }));
  return h(
    "li",
    {},
    h(
      "fieldset",
      { class: "card call" },
      h("legend", {}, words(call.name)),
      h("p", { class: "quiet" }, tool ? `${words(tool.agent)} ${AGENTS[tool.agent] ?? ""}: ${tool.description}` : "This phone has no such tool any more: drop it."),
      h("div", { class: "fields" }, fields.flatMap((each) => field(call, each, `c${id}-${each.name}`))),
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", class: "plain small", "aria-label": `Drop ${words(call.name)}`, onclick: () => drop(place) }, icon("cross"), "Drop"),
        place > 0 && h("button", { type: "button", class: "plain small", "aria-label": `Move ${words(call.name)} up`, onclick: () => up(place) }, "Earlier"),
      ),
    ),
  );
}

function field(call, each, id) {
  const value = call.values[each.name];
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const set = (event) => {
    const typed = event.target.value;
    if (typed === "" && !each.required) delete call.values[each.name];
    else call.values[each.name] = value !== undefined && typeof value !== "string" ? parsed(typed) : typed;
  };
  const input = each.choices.length
    ? h("select", { id, onchange: set }, each.required && text ? null : h("option", { value: "" }, "–"), each.choices.map((choice) => h("option", { value: plain(choice), selected: choice === value }, plain(choice))))
    : h(text.length > 60 ? "textarea" : "input", { id, value: text, oninput: set, autocomplete: "off", "aria-required": String(each.required) });
  const label = h("label", { for: id }, words(each.name), each.required ? null : h("span", { class: "quiet" }, " (may be left out)"));
  return [label, input, each.description && h("p", { class: "quiet hint" }, each.description)].filter(Boolean);
}

function parsed(typed) {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

function drop(place) {
  calls.splice(place, 1);
  draw(Math.min(place, calls.length - 1));
  if (!calls.length) $("tool").focus();
}

function up(place) {
  [calls[place - 1], calls[place]] = [calls[place], calls[place - 1]];

  calls.forEach((each, at) => {
    each.step = at;
  });
  draw(place - 1);
}

function describe() {
  const tool = tools.get($("tool", HTMLSelectElement).value);
  $("tool-about").textContent = tool ? tool.description : "";
}

$("tool").addEventListener("change", describe);
$("add").addEventListener("click", () => {
  const acts = (call) => tools.get(call.name)?.acts;
  const made = { name: $("tool", HTMLSelectElement).value, step: 1000 + calls.length, values: {} };
  const first = calls.findIndex(acts);
  const place = acts(made) || first < 0 ? calls.length : first; // look-ups come before what is done
  calls.splice(place, 0, made);
  draw(place);
});
$("reset").addEventListener("click", () => {
  fill(plan.calls, plan.ended === "answered" ? plan.response : "");
  $("plan-fault").textContent = "";
});
$("back").addEventListener("click", () => {
  close();
  $("filter").focus();
});
$("filter").addEventListener("input", list);
$("plan").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("plan-fault").textContent = "";
  const right = { calls: calls.map((call) => ({ name: call.name, arguments: call.values, step: call.step })), response: $("answering").hidden ? "" : $("response", HTMLTextAreaElement).value };
  $("save", HTMLButtonElement).disabled = true;
  try {
    const sample = await api("PUT", path(`/taught/queries/${plan.talk}/${plan.number}`), right);
    notice(sample.verdict === "yes" ? "Kept as a plan that was right" : "Kept as it should have been");
    close();
    await trying(showPast);
    await trying(showTaught);
    $("filter").focus();
  } catch (fault) {
    $("plan-fault").textContent = fault.message;
  } finally {
    $("save", HTMLButtonElement).disabled = false;
  }
});

// what was taught

async function showTaught() {
  const samples = (await api("GET", path("/taught"))).reverse();
  $("samples-state").textContent = samples.length ? many(samples.length, "sample") : "Nothing was taught on this phone yet.";
  $("exporting").hidden = !samples.length;
  $("export", HTMLAnchorElement).href = path("/taught/export");
  $("taught").replaceChildren(...samples.map(sampleCard));
}

const line = (call) => h("li", {}, h("code", {}, call.name), " ", Object.entries(call.arguments).map(([name, value]) => h("span", { class: "argument" }, h("b", {}, `${name}: `), plain(value))));
const lines = (those) => (those.length ? h("ul", { class: "calls" }, those.map(line)) : h("p", { class: "quiet" }, "no calls"));

function sampleCard(each) {
  const right = each.verdict === "yes";
  return h(
    "li",
    { class: "card sample" },
    h("h3", {}, each.query, " ", h("span", { class: right ? "chip good" : "chip warn" }, right ? "was right" : "put right")),
    h("p", { class: "quiet" }, [time(each.at), each.history && `with ${many(each.history, "earlier turn")}`].filter(Boolean).join(" · ")),
    lines(each.calls),
    each.response && h("p", {}, h("b", {}, "Answer: "), each.response),
    !right && h("details", {}, h("summary", {}, "What the model had planned"), lines(each.was)),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain small", "aria-label": `Forget the sample ${each.query}`, onclick: () => trying(() => forget(each)) }, icon("cross"), "Forget")),
  );
}

async function forget(each) {
  if (!(await ask("Forget this sample?", `“${each.query}” is then no sample any more.`, "Forget", "danger"))) return;
  await api("DELETE", path(`/taught/${each.id}`));
  await showTaught();
  await showPast();
}

// the tools, by agent

function groups(all) {
  const by = grouped(all);
  return Object.keys(AGENTS)
    .filter((agent) => by.has(agent))
    .map((agent) => h("optgroup", { label: `${words(agent)}: ${AGENTS[agent]}` }, by.get(agent).map((tool) => h("option", { value: tool.name }, words(tool.name)))));
}

function grouped(all) {
  const by = new Map();
  for (const tool of all) by.set(tool.agent, [...(by.get(tool.agent) ?? []), tool]);
  return by;
}

await ready;
tabs(document.querySelector('[role="tablist"]'));
await trying(async () => {
  const all = await api("GET", path("/taught/tools"));
  tools = new Map(all.map((tool) => [tool.name, tool]));
  $("tool").replaceChildren(...groups(all));
  describe();
});
await trying(showPast);
await trying(showTaught);
const before = sessionStorage.getItem("teaching");
if (before && past.some((each) => `${each.talk}/${each.number}` === before)) await trying(() => open(...before.split("/")));
