// A new prescription: the picture, and beside it what was read, field by field with how sure that is. Nothing is kept
// before the person has settled every doubt and agreed.

import { api, h, notice, path } from "./app.js";
import { button, labelled, list } from "./health_parts.js";

const LARGEST = 25_000_000;
let lines = [];
let source = "typed";
let changes = [];
let leave = new Set();
let shown = []; // addresses of pictures
let parts = {};
let kept = () => {};

export function prescription(after) {
  kept = after;
  const file = h("input", { type: "file", accept: "image/jpeg,image/png,image/webp,image/tiff,application/pdf,.txt" });
  const pages = h("input", { inputmode: "numeric", placeholder: "all", maxlength: 11 });
  const typed = h("textarea", { rows: 3, maxlength: 20000, placeholder: "Metformin 850 mg 1 tab bd with meals for 30 days" });
  const pagesField = labelled("Pages of the PDF", pages, "such as 2 or 1-3");
  pagesField.hidden = true;
  file.addEventListener("change", () => (pagesField.hidden = !/\.pdf$/i.test(file.files?.[0]?.name ?? "")));
  parts = { reading: h("div", { "aria-live": "polite" }) };
  return h(
    "section",
    { class: "card apart" },
    h("h2", {}, "Read a prescription"),
    h("p", { class: "quiet" }, "A photo, a PDF or typed words. It is read on this machine, and nothing is kept before you have compared it with the paper and agreed."),
    h("div", { class: "inline" }, labelled("Photo or PDF", file), pagesField, button("Read it", () => upload(file.files?.[0], pages.value))),
    h("details", {}, h("summary", {}, "Type it instead"), labelled("What it says, one medicine a line", typed), h("div", { class: "buttons" }, button("Understand it", () => fromText(typed.value)))),
    parts.reading,
  );
}

function forget() {
  for (const each of shown) URL.revokeObjectURL(each);
  shown = [];
  changes = [];
  leave = new Set();
}

async function upload(file, pages) {
  if (!file) return notice("Choose a photo or a PDF first", "fault");
  if (file.size > LARGEST) return say(`${file.name} has ${Math.round(file.size / 1e6)} MB and at most 25 MB are read: make it smaller.`);
  forget();
  say("Reading it… this takes some seconds.", "quiet");
  const body = new FormData();
  body.append("file", file);
  body.append("pages", pages.trim());
  try {
    const read = await api("POST", "/api/health/prescriptions", body);
    lines = read.lines;
    shown = read.pictures;
  } catch (fault) {
    return say(fault.message);
  }
  source = file.name.slice(-120);
  if (!shown.length && file.type.startsWith("image/")) shown = [URL.createObjectURL(file)];
  return understand();
}

function fromText(text) {
  forget();
  lines = text.split(/[\n;]/).filter((each) => each.trim()).slice(0, 400).map((each) => ({ text: each.trim(), seen: 1 }));
  source = "typed";
  return lines.length ? understand() : say("Nothing was typed.");
}

const say = (text, kind = "fault") => parts.reading.replaceChildren(h("p", { class: kind }, text));
const body = () => ({ lines, changes, leave: [...leave] });

async function understand(focus = "") {
  const told = await api("POST", path("/prescriptions/check"), body());
  const faulty = told.faults.length;
  if (faulty) changes.pop(); // the last one could not be understood
  const picture = shown.length ? shown.map((each, place) => h("img", { src: each, alt: `The prescription as you took it${shown.length > 1 ? `, page ${place + 1}` : ""}` })) : h("pre", {}, lines.map((each) => each.text).join("\n"));
  parts.reading.replaceChildren(
    h(
      "div",
      { class: "beside" },
      h("figure", { class: "paper" }, picture, h("figcaption", { class: "quiet" }, source)),
      h("div", {}, told.medicines.length ? told.medicines.map(medicine) : h("p", { class: "fault" }, "No medicine was found in it: type it instead."), told.not_understood.length ? [h("h3", {}, "Not understood"), list(told.not_understood, "quiet")] : []),
    ),
    ...told.faults.map((each) => h("p", { class: "fault", role: "alert" }, each)),
    agreement(told),
  );
  if (focus) document.getElementById(focus)?.focus();
}

function medicine(each) {
  const out = each.left_out;
  const toggle = () => {
    leave[out ? "delete" : "add"](each.number);
    return understand();
  };
  return h(
    "article",
    { class: `medicine ${out ? "out" : ""}` },
    h("h3", {}, `${each.number}. ${each.name}`, " ", out && h("span", { class: "chip" }, "left out")),
    out ? null : h("div", { class: "fields read" }, each.fields.filter((field) => field.value || field.value === null || ["dose", "when", "most", "duration"].includes(field.name)).map((field) => row(each, field))),
    out ? null : h("p", {}, each.times.length ? `Reminders at ${each.times.join(", ")}` : each.as_needed ? "No reminders: taken when needed" : "", each.note ? ` · ${each.note}` : ""),
    h("div", { class: "buttons" }, button(out ? "Take it in again" : "Leave it out", toggle, "plain small")),
  );
}

function row(each, field) {
  const doubtful = field.value === null;
  const id = `read-${each.number}-${field.name}`;
  const input = h("input", { id, value: field.value ?? (field.candidates[0] ? "" : field.read), maxlength: 200, "aria-describedby": `${id}-why`, "aria-invalid": doubtful ? "true" : undefined });
  const set = (value) => {
    changes = [...changes, { medicine: each.number, field: field.name, value }];
    return understand(id);
  };
  input.addEventListener("change", () => input.value.trim() && set(input.value.trim()));
  const sure = field.said ? "you said so" : doubtful ? "in doubt" : field.read ? `${Math.round(field.confidence * 100)}% sure` : "not said";
  const kind = doubtful ? "bad" : field.said || field.confidence >= 0.9 ? "good" : "warn";
  const bar = h("meter", { min: 0, max: 1, low: 0.6, high: 0.85, optimum: 1, value: field.confidence, "aria-label": `How sure the ${field.name} is` });
  return h(
    "div",
    { class: "readfield" },
    h("label", { for: id }, field.name),
    input,
    h("p", { id: `${id}-why`, class: "quiet" }, h("span", { class: `chip ${field.read || doubtful || field.said ? kind : ""}` }, sure), " ", field.read && !field.said ? bar : null, field.read ? ` read: “${field.read}”` : "", doubtful && field.why ? ` · ${field.why}` : ""),
    doubtful && field.candidates.length ? h("div", { class: "buttons" }, field.candidates.map((other) => button(`It is ${other}`, () => set(other), "plain small"))) : null,
  );
}

function agreement(told) {
  if (!told.medicines.length) return h("span", {});
  const keep = async () => {
    const conflicts = told.conflicts.length > 0;
    if (conflicts && !confirm(`${told.conflicts.join("\n\n")}\n\nKeep it all the same?`)) return;
    const made = await api("POST", path("/prescriptions"), { ...body(), source, despite: conflicts });
    notice(`Kept: ${made.medicines.join(", ")}. ${made.rings}.`);
    forget();
    parts.reading.replaceChildren();
    await kept();
  };
  return h(
    "div",
    { class: "agree" },
    ...told.conflicts.map((each) => h("p", { class: "card careful" }, h("b", {}, "Careful: "), each)),
    ...told.not_checked.map((each) => h("p", { class: "quiet" }, each)),
    told.ready ? h("p", {}, "Compare it with the paper. Is that what it says?") : h("p", { class: "fault" }, "Settle what is in doubt, or leave that medicine out."),
    h("div", { class: "buttons" }, button("Yes, keep it and remind me", keep, "", { disabled: !told.ready }), button("Forget it", () => { forget(); parts.reading.replaceChildren(); }, "plain")),
  );
}
