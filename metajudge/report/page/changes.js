"use strict";
/* The change browser: what verdicts were under one row and are under another. */
(() => {
  const { data, element, listeners, word, wordOrCode } = metajudge;
  const { claims, rows, golds, slices } = data.browser;
  const { LETTERS, PAGE, card, goldLetters, isRight } = metajudge.claims;
  const pick = document.getElementById("change-rows");
  if (!pick) return;
  const form = document.getElementById("change-filters");
  const list = document.getElementById("changed-claims");
  const section = document.getElementById("changes");
  const part = (name) => section.querySelector(`[data-${name}]`);
  const field = (name) => form.elements.namedItem(name);
  const row = (name) => Number(pick.elements.namedItem(name).value);
  const letters = Object.keys(LETTERS);
  let found = [];
  let page = 0;

  function fill(select, options) {
    const before = select.value;
    select.replaceChildren(...options.map(([value, text]) => {
      const option = element("option", "", text);
      option.value = value;
      return option;
    }));
    if (options.some(([value]) => value === before)) select.value = before;
  }
  function fillAll() {
    const named = rows.map((each, k) => [String(k), metajudge.rowName(each)]);
    for (const name of ["was", "is"]) fill(pick.elements.namedItem(name), named);
    const any = ["", word("filter.any")];
    const verdicts = letters.map((letter) => [letter, letter === "f" ? word("verdict.failure") : LETTERS[letter]]);
    fill(field("kind"), ["all", "better", "worse", "sideways"].map((kind) => [kind === "all" ? "" : kind, word(`kind.${kind}`)]));
    fill(field("gold"), [any, ...golds.map((gold, k) => [String(k), gold])]);
    fill(field("slice"), [any, ...slices.map((name, k) => [String(k), name === "" ? "–" : wordOrCode("slice", name)])]);
    fill(field("from"), [any, ...verdicts]);
    fill(field("to"), [any, ...verdicts]);
  }

  const kindOf = (was, is, claim) => {
    if (rows[was].codes[claim] === rows[is].codes[claim]) return "same";
    if (isRight(is, claim)) return "better";
    return isRight(was, claim) ? "worse" : "sideways";
  };
  const count = (kinds, wanted) => kinds.reduce((sum, kind) => sum + (kind === wanted), 0);

  function goldTable(was, is, gold) {
    const figure = element("figure", "confusion");
    const table = element("table");
    figure.append(element("figcaption", "", word("gold_is", { label: golds[gold] })), table);
    const asked = claims.id.map((_, claim) => claim).filter((claim) => claims.gold[claim] === gold);
    const seen = letters.filter((letter) => letter !== "f" || asked.some((claim) => rows[was].codes[claim] === "f" || rows[is].codes[claim] === "f"));
    const short = (letter) => (letter === "f" ? word("failures_short") : LETTERS[letter]);
    const head = element("tr");
    head.append(element("td", "corner", `${word("was")} ↓ ${word("is")} →`), ...seen.map((letter) => element("th", "", short(letter))));
    const thead = element("thead");
    thead.append(head);
    const body = element("tbody");
    for (const from of seen) {
      const line = element("tr");
      line.append(element("th", "", short(from)));
      for (const to of seen) line.append(goldCell(was, is, gold, asked, from, to));
      body.append(line);
    }
    table.append(thead, body);
    return figure;
  }
  function goldCell(was, is, gold, asked, from, to) {
    const n = asked.reduce((sum, claim) => sum + (rows[was].codes[claim] === from && rows[is].codes[claim] === to), 0);
    const right = (letter) => goldLetters[gold].includes(letter);
    const kind = from === to ? "same" : right(to) ? "right" : right(from) ? "wrong" : "fail";
    const cell = element("td", kind);
    cell.style.setProperty("--s", from === to || n === 0 ? "0" : String(Math.min(1, 0.25 + n / Math.max(1, asked.length))));
    if (n === 0 || from === to) {
      cell.textContent = n === 0 ? "·" : String(n);
      return cell;
    }
    const button = element("button", "", String(n));
    button.type = "button";
    button.setAttribute("aria-label", `${word("gold_is", { label: golds[gold] })}, ${LETTERS[from]} → ${LETTERS[to]}: ${n}`);
    button.addEventListener("click", () => filter({ gold: String(gold), from, to }));
    cell.append(button);
    return cell;
  }
  function sliceLine(kinds, slice) {
    const of = kinds.filter((_, claim) => claims.slice[claim] === slice);
    const better = count(of, "better");
    const worse = count(of, "worse");
    const line = element("tr");
    const name = element("td", "left");
    const button = element("button", "link", slices[slice] === "" ? "–" : wordOrCode("slice", slices[slice]));
    button.type = "button";
    button.addEventListener("click", () => filter({ slice: String(slice) }));
    name.append(button);
    const net = better - worse;
    line.append(name, ...[of.length, of.length - count(of, "same"), better, worse].map((n) => element("td", "", String(n))));
    line.append(element("td", net > 0 ? "up" : net < 0 ? "down" : "", net > 0 ? `+${net}` : String(net).replace("-", "−")));
    return line;
  }

  function compare() {
    const [was, is] = [row("was"), row("is")];
    const known = rows[was].codes !== "" && rows[is].codes !== "";
    const kinds = claims.id.map((_, claim) => (known ? kindOf(was, is, claim) : "same"));
    const total = kinds.length;
    const told = [word("changed_n", { n: total - count(kinds, "same"), total })];
    for (const kind of ["better", "worse", "sideways"]) told.push(word(`${kind}_n`, { n: count(kinds, kind) }));
    part("told").textContent = told.join(" · ");
    part("tables").replaceChildren(...golds.map((_, gold) => goldTable(was, is, gold)));
    part("slices").replaceChildren(...slices.map((_, slice) => sliceLine(kinds, slice)));
    search();
  }
  function search() {
    const [was, is] = [row("was"), row("is")];
    const { kind, gold, slice, from, to } = Object.fromEntries(["kind", "gold", "slice", "from", "to"].map((name) => [name, field(name).value]));
    const fits = (claim) => {
      const change = kindOf(was, is, claim);
      return change !== "same" && (kind === "" || change === kind)
        && (gold === "" || claims.gold[claim] === Number(gold)) && (slice === "" || claims.slice[claim] === Number(slice))
        && (from === "" || rows[was].codes[claim] === from) && (to === "" || rows[is].codes[claim] === to);
    };
    found = rows[was].codes === "" || rows[is].codes === "" ? [] : claims.id.map((_, claim) => claim).filter(fits);
    page = 0;
    draw();
  }
  function changed(was, is, claim) {
    const entry = card(is, claim);
    const line = element("p", "was-is");
    const name = (letter) => (letter === "f" ? word("verdict.failure") : LETTERS[letter]);
    const [before, after] = [rows[was].codes[claim], rows[is].codes[claim]];
    line.append(element("span", `v v-${before}`, name(before)), " → ", element("span", `v v-${after}`, name(after)));
    line.append(element("span", `kind ${kindOf(was, is, claim)}`, word(`kind.${kindOf(was, is, claim)}`)));
    entry.firstChild.after(line);
    return entry;
  }
  function draw() {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(Math.max(0, page), pages - 1);
    const shown = found.slice(page * PAGE, (page + 1) * PAGE);
    list.replaceChildren(...shown.map((claim) => changed(row("was"), row("is"), claim)));
    if (shown.length === 0) list.append(element("li", "fine", word("nothing_changed")));
    section.querySelector("[data-shown]").textContent = word("shown_n", { n: found.length, total: claims.id.length });
    section.querySelector("[data-page]").textContent = word("page_of", { n: page + 1, total: pages });
    section.querySelector('[data-step="-1"]').disabled = page === 0;
    section.querySelector('[data-step="1"]').disabled = page === pages - 1;
  }
  function filter(wanted) {
    form.reset();
    for (const [name, value] of Object.entries(wanted)) field(name).value = value;
    search();
    form.scrollIntoView({ block: "start" });
  }
  function choose(was, is) {
    pick.elements.namedItem("was").value = String(was);
    pick.elements.namedItem("is").value = String(is);
    compare();
  }

  for (const button of section.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => { page += Number(button.dataset.step); draw(); form.scrollIntoView(); });
  }
  for (const link of document.querySelectorAll("[data-was][data-is]")) {
    link.addEventListener("click", () => choose(Number(link.dataset.was), Number(link.dataset.is)));
  }
  pick.addEventListener("change", compare);
  pick.addEventListener("submit", (event) => event.preventDefault());
  pick.elements.namedItem("swap").addEventListener("click", () => choose(row("is"), row("was")));
  form.addEventListener("change", search);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(search));
  listeners.push(() => { fillAll(); compare(); });
  fillAll();
  choose(data.second, data.first);
})();
