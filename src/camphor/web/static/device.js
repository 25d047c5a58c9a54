// The phone: apps and their records, the journal with undo, the toolbox, phones taken in, given out and removed.

import { $, all, api, ask, h, icon, notice, one, path, phone, plain, ready, tabs, time, trying, words } from "./app.js";

const PAGE = 30;
const CALLED = { imessage: "iMessage", appstore: "App Store" };
const title = (name) => CALLED[name] ?? words(name).charAt(0).toUpperCase() + words(name).slice(1);
const many = (count, one) => `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`;
/** @type {any} */
let told = null; // what the interface said of the phone
/** @type {any} */
let shown = { app: null, list: "", query: "", start: 0 };
let round = 0; // an answer to an older question is not shown

// the phone and its apps

async function showPhone() {
  told = await api("GET", path(""));
  const where = [told.place, told.timezone].filter(Boolean).join(" · ");
  $("owner").setAttribute("aria-busy", "false");
  $("owner").replaceChildren(
    h("p", { class: "who" }, told.owner || told.id),
    h("p", { class: "quiet" }, [time(told.now), where, `${many(told.apps.length, "app")}, ${many(told.tools, "tool")}`].filter(Boolean).join(" · ")),
  );
  $("app-cards").replaceChildren(...told.apps.map(appCard));
  $("known").replaceChildren(...told.available.map((name) => h("option", { value: name }, words(name))));
  $("install-known").hidden = !told.available.length;
  $("export", HTMLAnchorElement).href = path("/export");
  const waiting = told.interrupted.length;
  if (waiting) notice(`${many(waiting, "action")} ${waiting === 1 ? "was" : "were"} cut off: the journal asks what became of ${waiting === 1 ? "it" : "them"}`);
}

function appCard(app) {
  const counts = app.lists.map((list) => `${words(list.name)}: ${list.records.toLocaleString()}`);
  return h(
    "li",
    {},
    h(
      "button",
      { type: "button", class: "card app", "data-app": app.name, onclick: () => trying(() => openApp(app)) },
      h("span", { class: "name" }, title(app.name), app.kind === "built_in" ? null : h("span", { class: "chip" }, app.kind === "manifest" ? "installed" : "your functions")),
      h("span", { class: "quiet" }, counts.join(" · ") || app.description || "no records"),
    ),
  );
}

async function openApp(app) {
  $("app-list").hidden = true;
  $("app-records").hidden = false;
  $("app-title").textContent = title(app.name);
  $("app-about").textContent = app.description;
  $("app-facts").replaceChildren(...Object.entries(app.facts).map(([name, value]) => h("section", { class: "card record" }, h("h3", {}, title(name)), fields(value))));
  $("words", HTMLInputElement).value = "";
  shown = { app, list: app.lists[0]?.name ?? "", query: "", start: 0 };
  showLists();
  await showRecords();
  $("app-title").focus({ preventScroll: true });
}

function showLists() {
  const { app, list } = shown;
  $("lists").hidden = app.lists.length < 2;
  $("search").hidden = !app.lists.length;
  $("lists").replaceChildren(
    ...app.lists.map((each) =>
      h("button", { type: "button", class: "plain small", "aria-pressed": String(each.name === list), onclick: () => trying(() => choose({ list: each.name })) }, `${words(each.name)} (${each.records.toLocaleString()})`),
    ),
  );
}

async function choose(change) {
  Object.assign(shown, change, { start: 0 });
  showLists();
  await showRecords();
}

async function showRecords() {
  const mine = ++round;
  const { app, list, query, start } = shown;
  if (!start) $("records").replaceChildren();
  $("more").hidden = true;
  if (!list) {
    $("found").textContent = "This app has no records.";
    return;
  }
  $("found").textContent = "Looking…";
  const asked = new URLSearchParams({ app: app.name, list, query, start: String(start), most: String(PAGE) });
  const page = await api("GET", path(`/records?${asked}`));
  if (mine !== round) return;
  $("records").append(...page.records.map(recordCard));
  const upTo = start + page.records.length;
  $("found").textContent = page.total ? `${many(page.total, "record")}${query ? " found, the best first" : ", the last added first"}${upTo < page.total ? `, ${upTo.toLocaleString()} shown` : ""}` : query ? "Nothing found: try other words." : "No records yet.";
  $("more").hidden = upTo >= page.total;
  shown.start = upTo;
}

function recordCard(each) {
  const card = h("li", { class: "card record" }, fields(each.record));
  if (each.cut) {
    const whole = async () => {
      const asked = new URLSearchParams({ app: shown.app.name, list: shown.list });
      const found = await api("GET", path(`/records/${each.item}?${asked}`));
      card.replaceChildren(fields(found.record));
    };
    card.append(h("button", { type: "button", class: "plain small", onclick: () => trying(whole) }, "Show all of it"));
  }
  return card;
}

function fields(record) {
  const rows = Object.entries(record).filter(([, value]) => plain(value) !== "");
  return rows.length
    ? h("ul", { class: "values" }, rows.map(([name, value]) => h("li", { class: plain(value).length > 60 ? "wide" : null }, h("span", { class: "label" }, title(name), h("span", { class: "unseen" }, ": ")), h("span", { class: "value" }, shownValue(value)))))
    : h("p", { class: "quiet" }, "empty");
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
function shownValue(value) {
  if (typeof value !== "string" || !MOMENT.test(value) || value.length > 32) return plain(value);
  return h("time", { datetime: value, title: value }, new Date(value.slice(0, 19)).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }));
}

$("back").addEventListener("click", () => {
  round += 1;
  $("app-records").hidden = true;
  $("app-list").hidden = false;
  all(document, ".app").find((each) => each.dataset.app === shown.app.name)?.focus();
});
$("more").addEventListener("click", () => trying(showRecords));
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  trying(() => choose({ query: $("words", HTMLInputElement).value.trim() }));
});
$("words").addEventListener("search", () => {
  if (!$("words", HTMLInputElement).value && shown.query) trying(() => choose({ query: "" }));
});

// installing

async function install(body) {
  const app = await api("POST", path("/apps"), body);
  notice(`Installed ${app.name}: ${many(app.tools, "tool")}`);
  await showPhone();
  $("tools").replaceChildren();
  return app;
}

$("install-known").addEventListener("submit", (event) => {
  event.preventDefault();
  trying(() => install({ name: $("known", HTMLSelectElement).value }));
});
$("manifest-file").addEventListener("change", async () => {
  const file = $("manifest-file", HTMLInputElement).files?.[0];
  if (!file) return;
  if (file.size > 250_000) {
    $("install-fault").textContent = "This file is too large for a manifest: at most 250 kB are taken";
    return;
  }
  $("install-fault").textContent = "";
  $("manifest", HTMLTextAreaElement).value = await file.text();
  $("app-name", HTMLInputElement).value ||= file.name.replace(/(\.manifest)?\.json$/i, "").slice(0, 64);
});
$("install").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("install-fault").textContent = "";
  try {
    await install({ name: $("app-name", HTMLInputElement).value.trim(), manifest: $("manifest", HTMLTextAreaElement).value });
    $("install", HTMLFormElement).reset();
  } catch (fault) {
    $("install-fault").textContent = fault.message;
  }
});

// the journal

/** @type {any} */
let oldest = null;

async function showJournal(more = false) {
  const asked = new URLSearchParams({ most: String(PAGE), ...(more && oldest ? { before: oldest } : {}) });
  const page = await api("GET", path(`/journal?${asked}`));
  if (!more) $("actions").replaceChildren();
  $("actions").append(...page.actions.map(actionCard));
  oldest = page.actions.at(-1)?.id ?? oldest;
  $("done").textContent = page.total ? many(page.total, "action") : "Nothing was done on this phone yet.";
  $("earlier").hidden = page.actions.length < PAGE;
}

const STATES = { done: ["done", "good"], failed: ["failed", "bad"], begun: ["begun", "warn"] };

function actionCard(action) {
  const [state, kind] = action.undone ? ["undone", ""] : action.interrupted ? ["cut off", "warn"] : STATES[action.state];
  const card = h(
    "li",
    { class: `card action ${action.undone ? "undone" : ""}` },
    h("p", { class: "what" }, h("b", {}, title(action.name)), h("span", { class: `chip ${kind}` }, state), h("span", { class: "quiet" }, `No. ${action.id} · ${time(action.begun)}`)),
    h("p", {}, Object.entries(action.arguments).map(([name, value]) => h("span", { class: "argument" }, h("b", {}, `${words(name)}: `), shownValue(value)))),
    action.error ? h("p", { class: "fault" }, action.error) : null,
    action.undone ? h("p", { class: "quiet" }, `Undone ${time(action.undone)}`) : null,
  );
  const label = `${words(action.name)}, number ${action.id}`;
  if (action.undoable) {
    card.append(h("div", { class: "buttons" }, h("button", { type: "button", class: "plain small", "aria-label": `Undo ${label}`, onclick: (event) => undo(action, card, event.currentTarget) }, icon("undo"), "Undo")));
  }
  if (action.interrupted) {
    const settle = async (done) => {
      await api("POST", path(`/journal/${action.id}/settle`), { done });
      await showJournal();
    };
    card.append(
      h("p", {}, "This was begun and cut off. It is never repeated: was it done?"),
      h("div", { class: "buttons" }, [true, false].map((done) => h("button", { type: "button", class: "plain small", "aria-label": `${done ? "It was done" : "It was not done"}: ${label}`, onclick: () => trying(() => settle(done)) }, done ? "It was done" : "It was not done"))),
    );
  }
  return card;
}

async function undo(action, card, button) {
  button.disabled = true;
  try {
    const after = await api("POST", path(`/journal/${action.id}/undo`));
    const fresh = actionCard(after);
    card.replaceWith(fresh);
    fresh.tabIndex = -1;
    fresh.focus({ preventScroll: true });
    notice(`Undone: ${words(action.name)}`);
    await showPhone();
  } catch (fault) {
    notice(fault.message, "fault");
    if (fault.status === 409) await trying(showJournal);
    else button.disabled = false;
  }
}

$("earlier").addEventListener("click", () => trying(() => showJournal(true)));

// the toolbox

let tools = [];

async function showTools() {
  tools = await api("GET", path("/toolbox"));
  filterTools();
}

function filterTools() {
  const wanted = $("tool-words", HTMLInputElement).value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tools.filter((tool) => wanted.every((word) => `${words(tool.name)} ${tool.name} ${tool.app} ${tool.description}`.toLowerCase().includes(word)));
  const apps = Map.groupBy ? Map.groupBy(found, (tool) => tool.app) : grouped(found);
  $("tool-count").textContent = `${many(found.length, "tool")}${wanted.length ? " found" : ""}`;
  $("tools").replaceChildren(...[...apps].map(([app, held]) => h("section", {}, h("h3", {}, title(app || "the phone itself")), h("ul", { class: "plainlist" }, held.map(toolCard)))));
}

function grouped(found) {
  const groups = new Map();
  for (const tool of found) groups.set(tool.app, [...(groups.get(tool.app) ?? []), tool]);
  return groups;
}

function toolCard(tool) {
  const required = new Set(tool.parameters.required ?? []);
  const given = Object.entries(tool.parameters.properties ?? {});
  return h(
    "li",
    { class: "tool" },
    h("p", {}, h("code", {}, tool.name), " ", h("span", { class: `chip ${tool.acts ? "warn" : ""}` }, tool.acts ? "acts" : "reads")),
    h("p", {}, tool.description),
    given.length ? h("ul", { class: "parameters" }, given.map(([name, schema]) => h("li", {}, h("code", {}, name), required.has(name) ? "" : h("span", { class: "quiet" }, " (may be left out)"), schema.description ? `: ${schema.description}` : ""))) : null,
  );
}

$("tool-words").addEventListener("input", filterTools);

// phones

$("import").addEventListener("submit", async (event) => {
  event.preventDefault();
  const file = $("file", HTMLInputElement).files?.[0];
  const button = one($("import"), "button", HTMLButtonElement);
  $("import-fault").textContent = "";
  if (!file) return;
  if (file.size > 32 * 1024 * 1024 - 4096) {
    $("import-fault").textContent = `This file has ${(file.size / 1048576).toFixed(0)} MB, and at most 32 MB are taken: run  camphor device import  instead`;
    return;
  }
  const form = new FormData();
  form.append("file", file);
  form.append("name", $("import-name", HTMLInputElement).value.trim());
  form.append("replace", String($("import-replace", HTMLInputElement).checked));
  button.disabled = true;
  $("import-state").textContent = "Taking it in…";
  try {
    const taken = await api("POST", "/api/devices/import", form);
    localStorage.setItem("phone", taken.phone);
    location.assign("/device");
  } catch (fault) {
    $("import-fault").textContent = fault.message;
  } finally {
    button.disabled = false;
    $("import-state").textContent = "";
  }
});

$("remove").addEventListener("click", async () => {
  const name = phone();
  const sure = await ask(`Remove ${name}?`, `The records, memories, health and conversations of ${told?.owner || name} are deleted from this machine, for good. If it is the demo phone, it is there again as it was at first.`, "Remove it for good", "danger");
  if (!sure) return;
  await trying(async () => {
    await api("DELETE", path(""));
    localStorage.removeItem("phone");
    location.assign("/device");
  });
});

await ready;
const loaded = { journal: showJournal, toolbox: showTools };
tabs(document.querySelector('[role="tablist"]'), (id) => loaded[id] && trying(() => loaded[id]()));
await trying(showPhone);
