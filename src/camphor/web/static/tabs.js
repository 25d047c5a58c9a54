// Tabs as screen readers know them: arrow keys move, the address remembers which one is open.

/** Make a role="tablist" work; `shown(id)` hears of each panel that opens. Gives a function that opens one. */
export function tabs(list, shown = () => {}) {
  const every = [...list.querySelectorAll('[role="tab"]')];
  const panel = (tab) => document.getElementById(tab.getAttribute("aria-controls"));

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
  function choose(tab, focus) {
    history.replaceState(null, "", `#${panel(tab).id}`);
    open(tab, focus);
  }
  for (const tab of every) tab.addEventListener("click", () => choose(tab));
  list.addEventListener("keydown", (event) => {
    const at = every.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: every.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    choose(every[(to + every.length) % every.length], true);
  });
  open(named(location.hash.slice(1)) ?? every[0]);
  return (id) => named(id) && choose(named(id));
}
