"use strict";
/* The claim browser: filters, pages of 25, keys. Judged text is set by textContent only. */
(() => {
  const { data, element, listeners, word, wordOrCode } = metajudge;
  const { claims, rows, golds, slices, languages, contexts, passages, said } = data.browser;
  const PAGE = 25;
  const LETTERS = { y: "yes", n: "no", i: "idk", f: "failure" };
  const form = document.getElementById("filters");
  const list = document.getElementById("claims");
  const field = (name) => form.elements.namedItem(name);
  let found = [];
  let page = 0;
  let clearing = false;

  const unpack = (text) => (text === null ? null : Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  const shares = rows.map((row) => unpack(row.p));
  const byClaim = ([where = [], which = []]) => new Map(where.map((claim, k) => [claim, said[which[k]]]));
  const reasons = rows.map((row) => byClaim(row.reasons));
  const failures = rows.map((row) => byClaim(row.failures));
  const binary = { supported: "y", unsupported: "ni" };
  const goldLetters = golds.map((gold) => binary[gold] || gold[0]);
  const isRight = (row, claim) => goldLetters[claims.gold[claim]].includes(rows[row].codes[claim]);

  const trials = [...new Set(rows.map((row) => row.trial))];
  const readings = [...new Set(rows.map((row) => row.reading))];
  const chosenRow = () => {
    const trial = trials[Number(field("trial").value)];
    const exact = rows.findIndex((row) => row.trial === trial && row.reading === field("reading").value);
    return exact >= 0 ? exact : rows.findIndex((row) => row.trial === trial);
  };

  function fill(name, options, any) {
    const select = field(name);
    const before = select.value;
    select.replaceChildren();
    if (any) options = [["", word("filter.any")], ...options];
    for (const [value, text] of options) {
      const option = element("option", "", text);
      option.value = value;
      select.append(option);
    }
    if ([...select.options].some((option) => option.value === before)) select.value = before;
  }
  function fillAll() {
    const number = (trial) => rows.filter((row) => row.trial === trial).map((row) => row.row).join(", ");
    fill("trial", trials.map((trial, i) => [String(i), `${number(trial)} · ${trial}`]), false);
    fill("reading", readings.map((reading) => [reading, word(`reading.${reading}`)]), false);
    fill("gold", golds.map((gold, i) => [String(i), gold]), true);
    fill("verdict", Object.entries(LETTERS).map(([letter, name]) => [letter, word(`verdict.${name}`)]), true);
    fill("slice", slices.map((name, i) => [String(i), name === "" ? "–" : wordOrCode("slice", name)]), true);
    fill("lang", languages.map((name, i) => [String(i), wordOrCode("language", name)]), true);
    fill("differs", rows.map((row, i) => [String(i), metajudge.rowName(row)]), true);
    fill("sort", [["", word("filter.sort_order")], ["sure", word("filter.sort_sure")]], false);
  }
  function choose(row) {
    field("trial").value = String(trials.indexOf(rows[row].trial));
    field("reading").value = rows[row].reading;
  }

  const haystacks = new Map();
  function haystack(claim) {
    let text = haystacks.get(claim);
    if (text === undefined) {
      const parts = [claims.id[claim], contexts[claims.context[claim]]];
      if (claims.text) parts.push(claims.text[claim]);
      if (passages) parts.push(...(passages[claims.context[claim]] || []));
      text = parts.join("\n").toLowerCase();
      haystacks.set(claim, text);
    }
    return text;
  }
  function matches(row, claim, words) {
    const more = `${reasons[row].get(claim) || ""}\n${failures[row].get(claim) || ""}`.toLowerCase();
    return words.every((part) => haystack(claim).includes(part) || more.includes(part));
  }
  const sureness = (row, claim) => {
    const place = "yni".indexOf(rows[row].codes[claim]);
    const byte = place < 0 || shares[row] === null ? 255 : shares[row][claim * 3 + place];
    return byte === 255 ? -1 : byte;
  };

  function search() {
    const row = chosenRow();
    found = [];
    if (row >= 0 && rows[row].codes !== "") {
      const wanted = (name) => (field(name).value === "" ? null : Number(field(name).value));
      const [gold, slice, lang, other] = ["gold", "slice", "lang", "differs"].map(wanted);
      const verdict = field("verdict").value;
      const only = field("only").checked;
      const words = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
      const codes = rows[row].codes;
      for (let claim = 0; claim < claims.id.length; claim += 1) {
        if (gold !== null && claims.gold[claim] !== gold) continue;
        if (slice !== null && claims.slice[claim] !== slice) continue;
        if (lang !== null && claims.lang[claim] !== lang) continue;
        if (verdict !== "" && codes[claim] !== verdict) continue;
        if (other !== null && rows[other].codes[claim] === codes[claim]) continue;
        if (only && isRight(row, claim)) continue;
        if (words.length && !matches(row, claim, words)) continue;
        found.push(claim);
      }
      if (field("sort").value === "sure") {
        const key = (claim) => (isRight(row, claim) ? -1000 : 0) + sureness(row, claim);
        found.sort((a, b) => key(b) - key(a) || a - b);
      }
    }
    page = 0;
    draw();
  }

  function chip(letter, text) {
    return element("span", `v v-${letter}`, text || LETTERS[letter]);
  }
  function probabilityBar(row, claim) {
    const bytes = shares[row];
    if (bytes === null || bytes[claim * 3] === 255) return null;
    const holder = element("span", "shares");
    holder.title = word("probabilities");
    const stack = element("span", "stack");
    const texts = [];
    ["y", "n", "i"].forEach((letter, k) => {
      const share = bytes[claim * 3 + k] / 250;
      const part = element("i", `s-${letter}`);
      part.style.width = `${100 * share}%`;
      stack.append(part);
      texts.push(`${LETTERS[letter]} ${Math.round(100 * share)}%`);
    });
    holder.append(stack, element("span", "", texts.join(" · ")));
    return holder;
  }
  function contextOf(claim) {
    const known = passages && passages[claims.context[claim]];
    if (!known) return null;
    const details = element("details", "context");
    const name = `${word("context")} ${contexts[claims.context[claim]]} · ${known.length === 1 ? word("passages_one") : word("passages_n", { n: known.length })}`;
    details.append(element("summary", "", name));
    details.addEventListener("toggle", () => {
      if (!details.open || details.childElementCount > 1) return;
      if (known.length === 0) details.append(element("p", "fine", word("empty_context")));
      const passagesList = element("ol");
      for (const passage of known) {
        const entry = element("li", "", passage);
        entry.dir = "auto";
        passagesList.append(entry);
      }
      details.append(passagesList);
    });
    return details;
  }
  function promptOf(row, claim) {
    const spoken = data.browser.prompts[rows[row].trial];
    const shapes = spoken && spoken[languages[claims.lang[claim]]];
    const known = passages && passages[claims.context[claim]];
    if (!shapes || !known || known.length === 0 || !claims.text) return null;
    const context = known.length === 1 ? known[0] : known.map((text, k) => `[${k + 1}] ${text}`).join("\n\n");
    const details = element("details", "context prompt");
    details.append(element("summary", "", word("prompt_sent")));
    details.addEventListener("toggle", () => {
      if (!details.open || details.childElementCount > 1) return;
      for (const shape of shapes) {
        const filled = shape.split("\ue000").join(context).split("\ue001").join(claims.text[claim]);
        const shown = element("pre", "", filled);
        shown.dir = "auto";
        details.append(shown);
      }
    });
    return details;
  }
  function strip(row, claim) {
    const holder = element("div", "strip");
    holder.append(element("span", "", word("every_row")));
    rows.forEach((other, k) => {
      if (other.codes === "") return;
      const letter = other.codes[claim];
      const button = element("button", `v-${letter}${k === row ? " chosen" : ""}`, String(other.row));
      button.type = "button";
      button.title = `${metajudge.rowName(other)}: ${LETTERS[letter]}`;
      button.setAttribute("aria-label", button.title);
      button.addEventListener("click", () => {
        if (list.contains(button)) choose(k);
        const card = button.closest("li");
        card.replaceWith(draftCard(k, claim));
      });
      holder.append(button);
    });
    return holder;
  }
  function wordsOf(row, claim) {
    const failure = failures[row].get(claim);
    const reason = reasons[row].get(claim);
    const text = failure || reason;
    if (!text) return null;
    const shown = element("p", failure ? "reason failure" : "reason", text);
    shown.dir = "auto";
    shown.title = failure ? word("failures") : word("reason");
    return shown;
  }
  function draftCard(row, claim) {
    const letter = rows[row].codes[claim];
    const state = letter === "f" ? " failed" : isRight(row, claim) ? "" : " missed";
    const card = element("li", `claim${state}`);
    card.tabIndex = 0;
    const head = element("div", "claim-head");
    const slice = slices[claims.slice[claim]];
    const parts = [claims.id[claim], wordOrCode("language", languages[claims.lang[claim]])];
    if (slice) parts.push(wordOrCode("slice", slice));
    parts.push(`#${rows[row].row}`);
    for (const part of parts) head.append(element("bdi", "", part));
    card.append(head);
    if (claims.text) {
      const text = element("p", "text", claims.text[claim]);
      text.dir = "auto";
      card.append(text);
    }
    const outcome = element("div", "outcome");
    const gold = golds[claims.gold[claim]];
    const goldText = element("span", "", `${word("gold_label")} `);
    goldText.append(chip(goldLetters[claims.gold[claim]][0], gold));
    const verdictText = element("span", "", `${word("verdict")} `);
    verdictText.append(chip(letter, letter === "f" ? word("verdict.failure") : undefined));
    outcome.append(goldText, verdictText);
    const bar = probabilityBar(row, claim);
    if (bar) outcome.append(bar);
    card.append(outcome);
    for (const part of [wordsOf(row, claim), contextOf(claim), promptOf(row, claim), strip(row, claim)]) if (part) card.append(part);
    return card;
  }

  function draw() {
    const row = chosenRow();
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(Math.max(0, page), pages - 1);
    const part = found.slice(page * PAGE, (page + 1) * PAGE);
    list.replaceChildren(...part.map((claim) => draftCard(row, claim)));
    if (part.length === 0) list.append(element("li", "fine", word("nothing_found")));
    for (const pager of document.querySelectorAll("[data-pager]")) {
      pager.querySelector("[data-shown]").textContent = word("shown_n", { n: found.length, total: claims.id.length });
      pager.querySelector("[data-page]").textContent = word("page_of", { n: page + 1, total: pages });
      pager.querySelector('[data-step="-1"]').disabled = page === 0;
      pager.querySelector('[data-step="1"]').disabled = page === pages - 1;
    }
  }
  function turn(step) {
    page += step;
    draw();
    document.getElementById("browser").scrollIntoView();
  }
  function move(step) {
    const cards = [...list.children];
    const now = cards.indexOf(document.activeElement && document.activeElement.closest("#claims > li"));
    const next = cards[Math.min(cards.length - 1, Math.max(0, now + step))];
    if (next) {
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  }
  const KEYS = {
    j: () => move(1),
    k: () => move(-1),
    o: () => {
      const card = document.activeElement && document.activeElement.closest("#claims > li");
      const context = card && card.querySelector("details");
      if (context) context.open = !context.open;
    },
    "/": () => field("search").focus(),
    "[": () => turn(-1),
    "]": () => turn(1),
  };

  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  for (const pager of document.querySelectorAll("[data-pager]")) {
    for (const button of pager.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => turn(Number(button.dataset.step)));
    }
  }
  for (const link of document.querySelectorAll("[data-choose]")) {
    link.addEventListener("click", () => {
      choose(Number(link.dataset.choose));
      if (link.dataset.claim !== undefined) {
        clearing = true;
        form.reset();
        clearing = false;
        choose(Number(link.dataset.choose));
        field("search").value = link.dataset.claim;
        field("only").checked = false;
      }
      search();
    });
  }
  let waiting = 0;
  field("search").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 150);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => { if (event.target.name !== "search") search(); });
  form.addEventListener("reset", () => {
    if (!clearing) setTimeout(() => { if (rows.length) choose(data.first); search(); });
  });
  listeners.push(() => {
    fillAll();
    draw();
  });
  fillAll();
  if (rows.length) choose(data.first);
  search();
  metajudge.claims = { LETTERS, PAGE, card: draftCard, goldLetters, isRight };
})();
