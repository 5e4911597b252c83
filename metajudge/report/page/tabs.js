"use strict";
/* Tabs. Without this script every panel is open; a link to anything in a panel opens it. */
metajudge.tabs = (() => {
  const buttons = [...document.querySelectorAll('[role="tab"]')];
  const panels = [...document.querySelectorAll("[data-panel]")];
  const bars = [...document.querySelectorAll("[data-of]")];
  const watchers = [];
  let current = "";

  function show(name) {
    if (!buttons.some((button) => button.dataset.tab === name)) return;
    current = name;
    for (const button of buttons) {
      const chosen = button.dataset.tab === name;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      if (chosen) button.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    for (const panel of panels) {
      // "until-found" lets the browser's own search open a panel.
      if (panel.dataset.panel === name) panel.removeAttribute("hidden");
      else panel.setAttribute("hidden", "until-found");
    }
    for (const bar of bars) bar.hidden = bar.dataset.of !== name;
    for (const watcher of watchers) watcher(name);
  }
  function press(name) {
    const header = document.querySelector(".top").offsetHeight;
    show(name);
    if (scrollY > header) scrollTo({ top: header, behavior: "instant" });
    location.replace(`#tab=${name}`);
  }
  function follow() {
    const wanted = decodeURIComponent(location.hash.slice(1));
    if (wanted.startsWith("tab=")) {
      if (wanted.slice(4) !== current) show(wanted.slice(4));
      return;
    }
    const target = wanted && document.getElementById(wanted);
    const panel = target && target.closest("[data-panel]");
    if (!panel) return;
    if (panel.dataset.panel !== current) show(panel.dataset.panel);
    target.scrollIntoView();
  }

  buttons.forEach((button, place) => {
    button.addEventListener("click", () => press(button.dataset.tab));
    button.addEventListener("keydown", (event) => {
      const last = buttons.length - 1;
      const next = { ArrowRight: place === last ? 0 : place + 1, ArrowLeft: place === 0 ? last : place - 1, Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      press(buttons[next].dataset.tab);
      buttons[next].focus();
    });
  });
  for (const panel of panels) panel.addEventListener("beforematch", () => show(panel.dataset.panel));
  addEventListener("hashchange", follow);
  show(buttons[0].dataset.tab);
  follow();
  return { show, watchers, current: () => current };
})();
