// Whom a person keeps: emergency contacts, doctors, clinics, numbers; typed, or chosen out of an address book (vCard).

import { api, h, notice, path } from "./app.js";
import { button, choice, labelled } from "./health_parts.js";

const KINDS = {
  "emergency-contacts": { title: "Who is told", one: "contact", none: "There are no emergency contacts.", fields: ["phone_number", "email"] },
  "emergency-numbers": { title: "Your own numbers to call", one: "number", none: "None yet: a midwife, a line for poisons, a neighbour …", fields: ["phone_number"] },
  doctors: { title: "Doctors", one: "doctor", none: "There are none yet.", fields: ["specialization", "phone_number", "address"] },
  clinics: { title: "Clinics, practices, hospitals", one: "clinic", none: "There are none yet.", fields: ["phone_number", "address"] },
};
const LABELS = { phone_number: "Phone number", email: "E-mail", specialization: "What they are", address: "Address" };
const MOST = 200;

/** A card of one kind; `changed` hears of it when somebody was added or removed. */
export function people(kind, changed = () => {}) {
  const card = h("section", { class: "card apart" });
  load(card, kind, changed);
  return card;
}

async function load(card, kind, changed) {
  const { title, one, none, fields } = KINDS[kind];
  let all = [];
  try {
    all = await api("GET", path(`/${kind}`));
  } catch (fault) {
    notice(fault.message, "fault");
  }
  const again = async () => {
    await load(card, kind, changed);
    changed();
  };
  const name = h("input", { maxlength: 120, autocomplete: "off" });
  const given = fields.map((field) => [field, h("input", { type: { phone_number: "tel", email: "email" }[field] ?? "text", maxlength: 200, autocomplete: "off" })]);
  const add = async () => {
    await api("POST", path(`/${kind}`), { name: name.value.trim() || " ", ...Object.fromEntries(given.map(([field, input]) => [field, input.value.trim()])) });
    await again();
  };
  const remove = (each) => async () => {
    if (!confirm(`Remove ${each.name}?`)) return;
    await api("DELETE", path(`/${kind}/${each.item}`));
    await again();
  };
  card.replaceChildren(
    h("h2", {}, title),
    all.length ? h("ul", { class: "rows" }, all.map((each) => row(each, kind, remove(each)))) : h("p", { class: kind === "emergency-contacts" ? "fault" : "quiet" }, none),
    h("div", { class: "inline" }, labelled("Name", name), given.map(([field, input]) => labelled(LABELS[field], input)), button(`Add a ${one}`, add)),
    kind === "emergency-numbers" ? "" : book(kind, again),
  );
}

function row(each, kind, remove) {
  const lacking = kind === "emergency-contacts" && !each.phone_number && h("span", { class: "chip warn" }, each.email ? "no number: told by e-mail alone" : "no number, cannot be told by message");
  const number = each.phone_number && h("a", { href: `tel:${each.phone_number.replace(/[^+\d*#]/g, "")}` }, each.phone_number);
  return h("li", { class: "row" }, h("div", { class: "grow" }, h("b", {}, each.name), " ", number, " ", lacking, h("span", { class: "quiet" }, [each.email, each.specialization, each.address].filter(Boolean).join(" · "))), button("Remove", remove, "plain small", { "aria-label": `Remove ${each.name}` }));
}

/** Choose out of an address book. Nobody is taken in unasked. */
function book(kind, again) {
  const file = h("input", { type: "file", accept: ".vcf,text/vcard" });
  const found = h("div", {});
  const filter = h("input", { type: "search", autocomplete: "off" });
  /** @type {{ cards: any[], left_out: string }} */
  let read = { cards: [], left_out: "" };
  const tell = () => {
    const wanted = folded(filter.value).split(/\s+/);
    const fit = read.cards.filter((each) => wanted.every((word) => folded(`${each.name} ${each.organisation}`).includes(word)));
    const more = fit.length > MOST && h("p", { class: "quiet" }, `The first ${MOST} of ${fit.length} are shown: write a part of the name to find the others.`);
    const listed = fit.length ? h("ul", { class: "rows" }, fit.slice(0, MOST).map((each) => offered(each, kind, again))) : h("p", { class: "quiet" }, "Nobody in the file has such a name.");
    found.lastElementChild?.replaceChildren(...(more ? [more] : []), listed);
  };
  filter.addEventListener("input", tell);
  file.addEventListener("change", async () => {
    found.replaceChildren();
    if (!file.files?.length) return;
    const form = new FormData();
    form.append("file", file.files[0]);
    try {
      read = await api("POST", "/api/health/cards", form);
      found.replaceChildren(...(read.left_out ? [h("p", { class: "quiet" }, `${read.left_out}.`)] : []), labelled("Part of a name", filter), h("div", {}));
      tell();
    } catch (fault) {
      notice(fault.message, "fault");
    }
  });
  return h("details", {}, h("summary", {}, "Out of an address book (vCard)"), labelled("A .vcf file; nobody is taken in unasked", file), found);
}

// letters that are one sign, and so lose no accent when they are taken apart
const PLAIN = { ł: "l", ø: "o", đ: "d", ð: "d", þ: "th", ß: "ss", æ: "ae", œ: "oe", ı: "i" };
const folded = (text) => [...text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()].map((letter) => PLAIN[letter] ?? letter).join("").trim();

function offered(card, kind, again) {
  const best = (kind === "emergency-contacts" && card.mobile) || card.phone_numbers[0] || "";
  const number = card.phone_numbers.length > 1 ? choice(card.phone_numbers, best) : null;
  number?.setAttribute("aria-label", `Number of ${card.name}`);
  const take = async (made) => {
    const all = { name: card.name, phone_number: number?.value ?? best, email: card.emails[0] ?? "", specialization: card.title, address: card.address };
    await api("POST", path(`/${kind}`), all);
    made.closest("li").replaceWith(h("li", { class: "row quiet" }, `${card.name} was added`));
    notice(`Added: ${card.name}`);
    await again();
  };
  return h("li", { class: "row" }, h("div", { class: "grow" }, h("b", {}, card.name), ` ${number ? "" : (best || card.emails[0] || "")} `, number, h("span", { class: "quiet" }, [card.organisation, card.title].filter(Boolean).join(" · "))), button("Add", take, "plain small", { "aria-label": `Add ${card.name}` }));
}
