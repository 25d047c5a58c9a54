// What every page shares: requests, the chosen phone, notices, and building elements. Text is always set as text.

/** @param {string} name */
const meta = (name) => /** @type {HTMLMetaElement | null} */ (document.querySelector(`meta[name="${name}"]`))?.content ?? "";
let token = meta("csrf-token");

/** A fault that the server told: `status`, `code` for programs, `message` for people. */
export class Fault extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/**
 * Ask the interface. Throws Fault.
 * @param {string} method
 * @param {string} path
 * @param {any} [body] sent as JSON, or as it is where it is a FormData or Blob
 * @param {boolean} [again] whether to try once more with a new session
 * @returns {Promise<any>} what the interface documents for this path
 */
export async function api(method, path, body, again = true) {
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json" };
  if (method !== "GET") headers["x-csrf-token"] = token;
  let sent = body;
  if (body !== undefined && !(body instanceof FormData) && !(body instanceof Blob)) {
    headers["content-type"] = "application/json";
    sent = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: sent });
  } catch {
    throw new Fault(0, "unreachable", "The server cannot be reached: is it still running?");
  }
  if (answer.status === 401) {
    location.href = "/chat"; // the server leads to the pass code, or says where the way in is
    throw new Fault(401, "not_entered", "This browser was not let in");
  }
  if (answer.status === 403 && again && method !== "GET") {
    token = (await api("GET", "/api/session")).csrf_token; // the session is a new one
    return api(method, path, body, false);
  }
  const text = await answer.text();
  /** @type {any} */
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    value = null;
  }
  if (!answer.ok) throw new Fault(answer.status, value?.code ?? "error", value?.detail ?? `The server said ${answer.status}`);
  return value;
}

/**
 * An element: h("button", {type: "button", onclick: f, class: "x"}, "text", child, ...).
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {Record<string, any>} attributes
 * @param {any[]} children nodes, texts and lists of them; null, undefined and false are left out
 * @returns {HTMLElementTagNameMap[N]}
 */
export function h(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "value") Object.assign(made, { value });
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `/static/icons.svg#${name}`);
  svg.append(use);
  return svg;
}

/** Say something for some seconds, to screen readers too. */
export function notice(text, kind = "") {
  const shown = h("p", { class: `notice ${kind}` }, text);
  $("notices").append(shown);
  setTimeout(() => shown.remove(), kind === "fault" ? 12000 : 6000);
}

/** Run something and tell of a fault instead of throwing it. */
export async function trying(doing) {
  try {
    return await doing();
  } catch (fault) {
    notice(fault.message, "fault");
    return undefined;
  }
}

/** The name of the chosen phone. */
export const phone = () => localStorage.getItem("phone") || meta("first-phone");

/** Its part of the interface: path("/journal"). */
export const path = (rest) => `/api/phones/${encodeURIComponent(phone())}${rest}`;

const SEEN = 400; // milliseconds; a second click comes sooner

/** Lets the buttons of a question wait until it was seen: a press that was meant for what stood there before it, such as
 *  the second click on the last question's "Yes", is no answer to it. */
export function unhurried(card) {
  const buttons = [...card.querySelectorAll("button")];
  for (const each of buttons) each.disabled = true;
  setTimeout(() => {
    for (const each of buttons) each.disabled = false;
  }, SEEN);
  return card;
}

/** An id for a thing sent once, also where the page is not on a secure address. */
export const key = () => [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, "0")).join("");

/** "09:05", or "Thu 12 Mar, 09:05" for another day. */
export function time(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return String(iso ?? "");
  const clock = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const today = at.toDateString() === new Date().toDateString();
  return today ? clock : `${at.toLocaleDateString([], { weekday: "short", day: "numeric", month: "short" })}, ${clock}`;
}

/** A value of a record as a person reads it. */
export function plain(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(plain).join(", ");
  if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${name}: ${plain(each)}`).join("; ");
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

/**
 * The element with this id, of this kind: $("query", HTMLInputElement).value. Throws where the page has none.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @param {abstract new () => T} [kind]
 */
export function $(id, kind = /** @type {any} */ (HTMLElement)) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`This page has no ${kind.name} of the id ${id}`);
}

/**
 * The first element inside that a selector finds, of this kind. Throws where there is none.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {ParentNode} inside
 * @param {string} selector
 * @param {abstract new () => T} [kind]
 */
export function one(inside, selector, kind = /** @type {any} */ (HTMLElement)) {
  const found = inside.querySelector(selector);
  if (found instanceof kind) return found;
  throw new TypeError(`There is no ${kind.name} that is ${selector}`);
}

/**
 * All elements inside that a selector finds and that are of this kind.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {ParentNode} inside
 * @param {string} selector
 * @param {abstract new () => T} [kind]
 * @returns {T[]}
 */
export const all = (inside, selector, kind = /** @type {any} */ (HTMLElement)) => 
  /** @type {T[]} */ ([...inside.querySelectorAll(selector)].filter((each) => each instanceof kind));

/** The element that has the focus, if it can lose it. */
export const focused = () => (document.activeElement instanceof HTMLElement ? document.activeElement : null);

/** "low blood oxygen" of "low_blood_oxygen". */
export const words = (name) => name.replaceAll("_", " ");

/** A question before something that cannot be taken back: a dialog that resolves to whether the person said yes.
 *  ask("Remove it?", "What follows from it.", "Remove", "danger") */
export function ask(title, text, yes, kind = "") {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { class: "card asking", "aria-labelledby": "asking-title", "aria-describedby": "asking-text" },
      h("h2", { id: "asking-title" }, title),
      h("p", { id: "asking-text" }, text),
      h(
        "form",
        { method: "dialog", class: "buttons" },
        h("button", { value: "yes", class: kind }, yes),
        h("button", { value: "no", class: "plain", autofocus: true }, "Cancel"),
      ),
    );
    const before = focused();
    dialog.addEventListener("close", () => {
      dialog.remove();
      before?.focus();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Make a role="tablist" work, as screen readers know it: arrow keys move, the address remembers which tab is open.
 *  `shown(id)` hears of each panel that opens. Gives a function that opens one. */
export function tabs(list, shown = /** @type {(id: string) => void} */ (() => {})) {
  const every = all(list, '[role="tab"]');
  const panel = (tab) => $(tab.getAttribute("aria-controls"));

  function open(tab, focus = false) {
    for (const each of every) {
      const on = each === tab;
      each.setAttribute("aria-selected", String(on));
      each.tabIndex = on ? 0 : -1;
      panel(each).hidden = !on;
    }
    if (focus) tab.focus();
    shown(panel(tab).id);
  }

  const named = (id) => every.find((each) => each.getAttribute("aria-controls") === id);
  function choose(tab, focus = false) {
    history.replaceState(null, "", `#${panel(tab).id}`);
    open(tab, focus);
  }
  for (const tab of every) tab.addEventListener("click", () => choose(tab));
  list.addEventListener("keydown", (event) => {
    const at = every.indexOf(/** @type {any} */ (document.activeElement));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: every.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    choose(every[(to + every.length) % every.length], true);
  });
  open(named(location.hash.slice(1)) ?? every[0]);
  return (id) => named(id) && choose(named(id));
}

async function choosePhone() {
  const select = document.getElementById("phone");
  if (!(select instanceof HTMLSelectElement)) return;
  const status = await api("GET", "/api/status");
  if (!status.phones.includes(phone())) localStorage.setItem("phone", status.phone);
  select.replaceChildren(...status.phones.map((name) => h("option", { value: name, selected: name === phone() }, name)));
  select.addEventListener("change", () => {
    localStorage.setItem("phone", select.value);
    location.reload();
  });
}

const themes = ["", "light", "dark"];
document.getElementById("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const next = themes[(themes.indexOf(root.dataset.theme ?? "") + 1) % themes.length];
  if (next) {
    root.dataset.theme = next;
    localStorage.setItem("theme", next);
  } else {
    delete root.dataset.theme;
    localStorage.removeItem("theme");
  }
  notice(next ? `${next[0].toUpperCase()}${next.slice(1)} colours` : "Colours as the system has them");
});

/** Resolves once the chosen phone is one that exists. */
export const ready = trying(choosePhone);
