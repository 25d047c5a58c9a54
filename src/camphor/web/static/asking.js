// A question before something that cannot be taken back: a dialog that resolves to whether the person said yes.

import { h } from "./app.js";

/** ask("Remove it?", "What follows from it.", "Remove", "danger") */
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
    const before = document.activeElement;
    dialog.addEventListener("close", () => {
      dialog.remove();
      before?.focus();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
