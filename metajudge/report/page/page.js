"use strict";
/* Language, sorting, folding, measures. Every text reaches the page by textContent. */
const metajudge = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const listeners = [];
  const language = () => (root.lang === "zh-CN" ? "zh" : "en");

  function word(key, values = {}) {
    const pair = data.words[key];
    const text = pair === undefined ? key : pair[language() === "zh" ? 1 : 0];
    return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
  }
  function wordOrCode(kind, code) {
    const key = `${kind}.${code}`;
    return key in data.words ? word(key) : code;
  }
  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function show(wanted) {
    root.lang = wanted === "zh" ? "zh-CN" : "en";
    for (const button of document.querySelectorAll("[data-language]")) {
      button.setAttribute("aria-pressed", String(button.dataset.language === wanted));
    }
    for (const listener of listeners) listener();
  }

  for (const button of document.querySelectorAll("[data-language]")) {
    button.addEventListener("click", () => show(button.dataset.language));
  }

  function sortBy(table, heading) {
    const column = [...heading.parentNode.children].indexOf(heading);
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const key = (row) => row.children[column].dataset.v;
    const rows = [...body.rows].map((row, index) => ({ row, index, value: key(row) }));
    rows.sort((a, b) => {
      const none = (a.value === "") - (b.value === "");
      if (none || a.value === "") return none || a.index - b.index;
      return (up ? 1 : -1) * (Number(a.value) - Number(b.value)) || a.index - b.index;
    });
    body.append(...rows.map((entry) => entry.row));
  }
  for (const table of document.querySelectorAll("[data-sortable]")) {
    for (const heading of table.tHead.rows[0].cells) {
      heading.tabIndex = 0;
      heading.addEventListener("click", () => sortBy(table, heading));
      heading.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          sortBy(table, heading);
        }
      });
    }
  }

  const MOST_ROWS = 10;
  for (const table of document.querySelectorAll("[data-fold]")) {
    const total = table.tBodies[0].rows.length;
    if (total <= MOST_ROWS + 2) continue;
    const button = element("button", "fold");
    button.type = "button";
    const label = () => {
      const folded = table.classList.contains("folded");
      button.textContent = word(folded ? "show_all" : "show_fewer", { n: total });
      button.setAttribute("aria-expanded", String(!folded));
    };
    button.addEventListener("click", () => {
      table.classList.toggle("folded");
      label();
    });
    table.classList.add("folded");
    table.parentNode.after(button);
    listeners.push(label);
  }

  /* Tables that show one of several measures; their buttons choose it. */
  for (const group of document.querySelectorAll("[data-measures]")) {
    const table = document.querySelector(`[data-group="${group.dataset.measures}"]`);
    const buttons = [...group.querySelectorAll("[data-measure]")];
    const choose = (chosen) => {
      for (const button of buttons) button.setAttribute("aria-pressed", String(button === chosen));
      for (const part of table.querySelectorAll("[data-m]")) part.hidden = part.dataset.m !== chosen.dataset.measure;
    };
    for (const button of buttons) button.addEventListener("click", () => choose(button));
    choose(buttons[0]);
  }

  const rowName = (row) => `${row.row} · ${row.trial} · ${word(`reading.${row.reading}`)}`;
  return { data, element, language, listeners, rowName, show, word, wordOrCode };
})();
