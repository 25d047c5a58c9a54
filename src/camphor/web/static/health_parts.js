// Small things that the parts of Health share.

import { h, trying } from "./app.js";

let count = 0;

/** A button that tells of a fault, and cannot be pressed twice while it works. */
export function button(text, doing, kind = "", attributes = {}) {
  const made = h("button", { type: "button", class: kind, ...attributes }, text);
  made.addEventListener("click", async () => {
    if (made.getAttribute("aria-disabled") === "true") return;
    made.setAttribute("aria-disabled", "true");
    await trying(async () => doing(made));
    made.removeAttribute("aria-disabled");
  });
  return made;
}

/** A field with its label: labelled("Day", input). */
export function labelled(text, input, hint = "") {
  input.id ||= `f${++count}`;
  return h("div", { class: "field" }, h("label", { for: input.id }, text), input, hint && h("small", { class: "quiet" }, hint));
}

/** A box to tick with its label beside it. */
export function ticked(text, checked = false) {
  const input = h("input", { type: "checkbox", id: `f${++count}`, checked });
  return { input, shown: h("p", { class: "tick" }, input, h("label", { for: input.id }, text)) };
}

export function choice(values, chosen, label = (each) => each) {
  return h("select", {}, values.map((each) => h("option", { value: each, selected: each === chosen }, label(each))));
}

export const list = (lines, kind = "") => h("ul", { class: kind }, lines.map((each) => h("li", {}, each)));

/** "Mon 18 May" of a day or moment of the phone, which has no time zone. */
export function dayWords(iso) {
  const at = new Date(`${iso.slice(0, 10)}T12:00`);
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleDateString([], { weekday: "short", day: "numeric", month: "short", year: "numeric" });
}

export const clock = (iso) => (iso ?? "").slice(11, 16);

/** The day before or after one. */
export function dayBeside(iso, days) {
  const at = new Date(`${iso}T12:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}
