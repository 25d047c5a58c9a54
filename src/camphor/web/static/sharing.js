// On every page of a server whose model is another program's: what of the phone may be seen there, to look at and change.

import { $, all, api, focused, h, notice, path, phone, trying } from "./app.js";

const button = $("leaving", HTMLButtonElement);
const asked = `sharing-asked ${phone()}`;

async function show(told) {
  const found = told ?? (await api("GET", path("/sharing")));
  const where = found.computer ?? "this computer";
  const box = (each) => {
    const about = each.about ? h("span", { class: "quiet" }, ` (${each.about})`) : null;
    return h("li", {}, h("label", { class: "check" }, h("input", { type: "checkbox", value: each.name, checked: each.shared }), h("span", {}, each.name, about)));
  };
  const dialog = h(
    "dialog",
    { class: "card asking sharing", "aria-labelledby": "sharing-title" },
    h("h2", { id: "sharing-title", tabindex: -1, autofocus: true }, `What ${where} may see`),
    h("p", {}, `${found.told}. What is looked up in these apps of ${phone()} goes there too:`),
    h("ul", {}, found.items.map(box)),
    found.decided ? null : h("p", { class: "quiet" }, "Nothing is shown until you decide. Health and memory are left out of what is proposed."),
    h("form", { method: "dialog", class: "buttons" },
      h("button", { value: "yes" }, "It may see these"),
      h("button", { value: "none", class: "plain" }, "Nothing"),
      h("button", { value: "no", class: "plain" }, found.decided ? "Cancel" : "Not now")),
  );
  const before = focused();
  dialog.addEventListener("close", () => {
    const chosen = all(dialog, "input", HTMLInputElement).filter((each) => each.checked).map((each) => each.value);
    const answer = dialog.returnValue;
    dialog.remove();
    before?.focus();
    sessionStorage.setItem(asked, "yes");
    if (answer === "yes" || answer === "none") trying(() => keep(answer === "yes" ? chosen : [], where));
  });
  document.body.append(dialog);
  dialog.showModal();
}

async function keep(apps, where) {
  await api("PUT", path("/sharing"), { apps });
  notice(apps.length ? `${where} may see: ${apps.join(", ")}` : `${where} may see nothing of ${phone()}`);
}

button.addEventListener("click", () => trying(() => show()));

// once in a session of the browser, for each phone of which nothing was decided
if (button.classList.contains("far") && !sessionStorage.getItem(asked) && location.pathname === "/chat" && localStorage.getItem("welcomed")) {
  trying(async () => {
    const found = await api("GET", path("/sharing"));
    if (!found.decided) await show(found);
  });
}
