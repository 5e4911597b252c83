"use strict";
/* Keys, evidence, time in sight, drafts and sending. Every page works without this file too,
   but for marking evidence and for the keys. */
(() => {
  const body = document.body;
  const $ = (selector) => document.querySelector(selector);
  const form = $("[data-form]");
  const desk = $("[data-claim-id]");
  const note = $("[data-note]");
  body.classList.add("scripted");

  let sent = false;
  window.addEventListener("pageshow", (event) => { if (event.persisted) window.location.reload(); });

  /* ---- what is said ------------------------------------------------------------------ */
  const say = (text) => { const live = $("[data-live]"); if (live) { live.textContent = ""; setTimeout(() => { live.textContent = text; }, 30); } };
  const said = $("[data-said]");
  if (said && said.dataset.said) {
    said.textContent = "";
    setTimeout(() => { said.textContent = said.dataset.said; }, 80);
  }
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
  const button = (name, text, onClick) => {
    const made = Object.assign(document.createElement("button"), { type: "button", className: name, textContent: text });
    made.addEventListener("click", onClick);
    return made;
  };
  const short = (text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

  /* ---- drafts: what was typed outlives a reload and a server that went away ------------- */
  const room = `${body.dataset.desk}/${body.dataset.work}/`;
  const keyOf = (claim) => `${room}${claim}`;
  const stored = (key) => { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } };
  const keep = (key, value) => { try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* full or switched off */ } };
  const forget = (key) => { try { sessionStorage.removeItem(key); } catch { /* switched off */ } };
  if (body.dataset.savedClaim) forget(keyOf(body.dataset.savedClaim));
  const draftKey = desk && form ? `${keyOf(desk.dataset.claimId)}` : null;

  /* ---- time in sight ------------------------------------------------------------------ */
  let counted = 0;
  let since = document.visibilityState === "visible" ? performance.now() : null;
  const inSight = () => counted + (since === null ? 0 : performance.now() - since);
  const look = () => {
    const visible = document.visibilityState === "visible";
    if (visible && since === null) since = performance.now();
    if (!visible && since !== null) { counted += performance.now() - since; since = null; }
    if (!visible) keepDraft();
  };
  document.addEventListener("visibilitychange", look);

  /* ---- evidence ------------------------------------------------------------------------ */
  const field = $("[data-spans]");
  const passages = $("#passages");
  const texts = [...document.querySelectorAll("[data-passage]")];
  const originals = new Map(texts.map((node) => [Number(node.dataset.passage), [...node.textContent]]));
  let [spans, sentences, cursor] = [[], [], -1];

  const cut = (letters) => {
    const text = letters.join("");
    const places = [];
    if (typeof Intl !== "undefined" && Intl.Segmenter) {
      let at = 0;
      for (const part of new Intl.Segmenter(passages.lang || "en", { granularity: "sentence" }).segment(text)) {
        const length = [...part.segment].length;
        places.push([at, at + length]);
        at += length;
      }
    } else places.push([0, letters.length]);
    return places;
  };
  const trimmed = (letters, start, end) => {
    while (start < end && /\s/.test(letters[start])) start += 1;
    while (end > start && /\s/.test(letters[end - 1])) end -= 1;
    return [start, end];
  };
  /* A selection that ends inside a word takes the whole of it; Chinese and Japanese have no such ends. */
  const inWord = (letter) => letter !== undefined && /[\p{L}\p{N}]/u.test(letter) && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(letter);
  const wholeWords = (letters, start, end) => {
    while (start > 0 && inWord(letters[start - 1]) && inWord(letters[start])) start -= 1;
    while (end < letters.length && inWord(letters[end - 1]) && inWord(letters[end])) end += 1;
    return [start, end];
  };
  const readPlaces = (value) => (value || "").split(",").filter(Boolean).map((part) => part.split(":").map(Number))
    .filter(([p, s, e]) => originals.has(p) && s < e && e <= originals.get(p).length);
  const textOf = ([p, s, e]) => originals.get(p).slice(s, e).join("");

  const draw = () => {
    for (const node of texts) {
      const p = Number(node.dataset.passage);
      const letters = originals.get(p);
      const marks = spans.filter((span) => span[0] === p);
      const fragment = document.createDocumentFragment();
      for (const sentence of sentences.filter((entry) => entry.p === p)) {
        const holder = document.createElement("span");
        holder.className = "sentence";
        holder.dataset.sentence = sentence.index;
        if (sentence.index === cursor) holder.classList.add("here");
        const edges = new Set([sentence.s, sentence.e]);
        for (const [, s, e] of marks) for (const edge of [s, e]) if (edge > sentence.s && edge < sentence.e) edges.add(edge);
        const ordered = [...edges].sort((a, b) => a - b);
        for (let i = 0; i + 1 < ordered.length; i += 1) {
          const [from, to] = [ordered[i], ordered[i + 1]];
          const inside = marks.some(([, s, e]) => s <= from && to <= e);
          const text = document.createTextNode(letters.slice(from, to).join(""));
          if (inside) { const mark = document.createElement("mark"); mark.append(text); holder.append(mark); } else holder.append(text);
        }
        fragment.append(holder);
      }
      node.replaceChildren(fragment);
    }
    const list = $("[data-evidence]");
    if (!list) return;
    list.replaceChildren(...spans.map((span) => {
      const row = document.createElement("li");
      const quote = document.createElement("bdi");
      quote.textContent = short(textOf(span));
      const remove = button("remove", "×", () => { toggle(span); (list.querySelector("button") || passages).focus(); });
      remove.dataset.removeSpan = span.join(":");
      remove.setAttribute("aria-label", filled(list.dataset.remove, { text: short(textOf(span)) }));
      row.dataset.span = span.join(":");
      row.append(quote, remove);
      return row;
    }));
    $("[data-evidence-hint]").hidden = spans.length > 0;
    field.value = spans.map((span) => span.join(":")).join(",");
  };
  const same = (a, b) => a.every((value, i) => value === b[i]);
  const overlap = (a, b) => a[0] === b[0] && a[1] < b[2] && b[1] < a[2];
  const toggle = (span) => {
    const list = $("[data-evidence]");
    const there = spans.some((other) => same(other, span));
    const apart = spans.filter((other) => (there ? !same(other, span) : !overlap(other, span)));
    const joined = spans.filter((other) => overlap(other, span)).reduce(([p, s, e], other) => [p, Math.min(s, other[1]), Math.max(e, other[2])], span);
    spans = (there ? apart : [...apart, joined]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    draw();
    keepDraft();
    say(filled(there ? list.dataset.removed : list.dataset.added, { text: short(textOf(span)) }));
  };

  const offsetIn = (node, container, offset) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    range.setEnd(container, offset);
    return [...range.toString()].length;
  };
  const selected = () => {
    const selection = window.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return [];
    const range = selection.getRangeAt(0);
    const found = [];
    for (const node of texts) {
      if (!range.intersectsNode(node)) continue;
      const letters = originals.get(Number(node.dataset.passage));
      const s = node.contains(range.startContainer) ? offsetIn(node, range.startContainer, range.startOffset) : 0;
      const e = node.contains(range.endContainer) ? offsetIn(node, range.endContainer, range.endOffset) : letters.length;
      const [from, to] = trimmed(letters, s, e);
      if (from < to) found.push([Number(node.dataset.passage), ...wholeWords(letters, from, to)]);
    }
    return found;
  };
  const markSelected = () => {
    const found = selected();
    for (const span of found) toggle(span);
    if (found.length) window.getSelection().removeAllRanges();
    return found.length > 0;
  };
  const sentenceSpan = (sentence) => {
    const [s, e] = trimmed(originals.get(sentence.p), sentence.s, sentence.e);
    return [sentence.p, s, e];
  };
  const moveTo = (index) => {
    if (!sentences.length) return;
    cursor = Math.max(0, Math.min(index, sentences.length - 1));
    draw();
    const here = passages.querySelector(".here");
    if (here) here.scrollIntoView({ block: "nearest" });
    const sentence = sentences[cursor];
    const siblings = sentences.filter((entry) => entry.p === sentence.p);
    const list = $("[data-evidence]");
    const marked = spans.some((span) => same(span, sentenceSpan(sentence)));
    say(filled(list.dataset.at, { passage: sentence.p + 1, n: siblings.indexOf(sentence) + 1, all: siblings.length, text: textOf(sentenceSpan(sentence)) }) + (marked ? ` (${list.dataset.marked})` : ""));
  };
  const firstInSight = () => {
    const nodes = [...passages.querySelectorAll("[data-sentence]")];
    const at = nodes.findIndex((node) => node.getBoundingClientRect().top >= 60);
    return Math.max(at, 0);
  };
  const enterContext = () => { passages.focus({ preventScroll: true }); if (cursor < 0) moveTo(firstInSight()); };
  const markHere = () => { if (cursor >= 0) toggle(sentenceSpan(sentences[cursor])); };

  const cutAll = () => {
    for (const [p, letters] of originals) {
      for (const [s, e] of cut(letters)) {
        const [from, to] = trimmed(letters, s, e);
        sentences.push({ p, s, e, blank: from >= to, index: 0 });
      }
    }
    /* Blank stretches are drawn with the sentence before them. */
    const joined = [];
    for (const sentence of sentences) {
      const last = joined[joined.length - 1];
      if (sentence.blank && last && last.p === sentence.p) last.e = sentence.e; else joined.push(sentence);
    }
    sentences = joined;
    sentences.forEach((sentence, index) => { sentence.index = index; });
  };
  if (field && passages) {
    cutAll();
    spans = readPlaces(field.value);
    /* By keyboard one goes from sentence to sentence; a click leaves the arrow keys to scrolling. */
    passages.addEventListener("focus", () => { if (cursor < 0 && passages.matches(":focus-visible")) moveTo(firstInSight()); });
    passages.addEventListener("blur", () => { if (cursor >= 0) { cursor = -1; draw(); } });
    const pill = $("[data-mark]");
    document.addEventListener("selectionchange", () => { pill.hidden = selected().length === 0; });
    pill.addEventListener("mousedown", (event) => event.preventDefault());
    pill.addEventListener("click", markSelected);
  }

  /* ---- the draft of this claim ---------------------------------------------------------- */
  function keepDraft() {
    if (!draftKey) return;
    const [slice, flag] = [$("[data-slice]"), $("[data-flag]")];
    keep(draftKey, {
      seen: form.elements.seen.value,
      note: note ? note.value : "",
      slice: slice ? slice.value : "",
      flag: Boolean(flag && flag.checked),
      spans: field ? field.value : "",
      counted: inSight(),
    });
  }
  if (draftKey) {
    const draft = stored(draftKey);
    if (draft) {
      const [slice, flag] = [$("[data-slice]"), $("[data-flag]")];
      if (note && draft.note) note.value = draft.note;
      if (slice && draft.slice) slice.value = draft.slice;
      if (flag && draft.flag) flag.checked = true;
      /* Places are those of the texts that were shown then. */
      if (field && draft.spans && draft.seen === form.elements.seen.value) spans = readPlaces(draft.spans);
      counted += Number(draft.counted) || 0;
    }
    form.addEventListener("input", keepDraft);
    form.addEventListener("change", keepDraft);
    window.addEventListener("pagehide", () => { if (!sent) keepDraft(); });
  }
  if (field && passages) draw();

  /* ---- evidence of others, where labels are settled: all of it, or one person's ---------- */
  const votes = [...document.querySelectorAll("[data-places]")];
  const show = (chosen) => { spans = chosen.flatMap((vote) => readPlaces(vote.dataset.places)); draw(); };
  if (votes.length && passages) {
    cutAll();
    show(votes);
    for (const vote of votes) {
      vote.tabIndex = 0;
      for (const event of ["mouseenter", "focus"]) vote.addEventListener(event, () => show([vote]));
      for (const event of ["mouseleave", "blur"]) vote.addEventListener(event, () => show(votes));
    }
  }

  /* ---- sending: a server that does not answer loses nothing ------------------------------ */
  const alertBox = $("[data-alert]");
  const unanswered = (again) => {
    sent = false;
    body.classList.remove("sending");
    const retry = button("plain", body.dataset.retry, again);
    retry.dataset.retryNow = "";
    alertBox.replaceChildren(document.createTextNode(`${body.dataset.offline} `), retry);
    alertBox.hidden = false;
    retry.focus();
  };
  const send = async (which, pressed) => {
    if (sent) return;
    sent = true;
    keepDraft();
    body.classList.add("sending");
    const seconds = $("[data-seconds]");
    if (seconds && which === form) seconds.value = (inSight() / 1000).toFixed(1);
    const data = new FormData(which);
    if (pressed && pressed.name) data.set(pressed.name, pressed.value);
    const action = (pressed && pressed.getAttribute("formaction")) || which.getAttribute("action");
    const asked = { method: "POST", body: new URLSearchParams(data), redirect: "follow", credentials: "same-origin" };
    const answer = await fetch(action, asked).catch(() => null);
    if (!answer) { unanswered(() => send(which, pressed)); return; }
    if (answer.ok && answer.redirected) {
      if (which === form && draftKey) forget(draftKey);
      window.location.assign(answer.url);
      return;
    }
    /* The page that says what is wrong: sent once more, as a form; the same save counts once. */
    const plain = Object.assign(document.createElement("form"), { method: "post", action, hidden: true });
    for (const [name, value] of data) {
      plain.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    body.append(plain);
    plain.submit();
  };
  /* The second click of a double click would fall on the next claim, which nobody has read yet. */
  const begun = performance.now();
  document.addEventListener("click", (event) => {
    const isSlip = event.detail > 1 || (event.pointerType === "touch" && performance.now() - begun < 350);
    const isNear = event.detail <= 1 && event.target.closest("[data-undo-near]");
    if (isSlip && !isNear && event.target.closest("[type=submit], [data-next], [data-go-skipped]")) { event.preventDefault(); event.stopPropagation(); }
  }, true);
  document.addEventListener("submit", (event) => {
    const which = event.target;
    if (which.method !== "post" || which.hasAttribute("data-native")) return;
    event.preventDefault();
    if (event.submitter && event.submitter.hasAttribute("data-no-default")) return;
    if (which.dataset.form === "review" && !reviewReady(event.submitter)) return;
    send(which, event.submitter);
  });

  /* ---- gold wrong: the label and the reason come first ------------------------------------ */
  const goldWrong = $("[data-gold-wrong]");
  const chosenGold = () => form.querySelector("input[name=label]:checked");
  const settleGold = $("[data-settle-gold]");
  if (goldWrong) goldWrong.hidden = settleGold.hidden = true;
  const reviewReady = (pressed) => {
    if (!pressed || pressed.value !== "gold_wrong") return true;
    goldWrong.hidden = settleGold.hidden = false;
    const choices = [...goldWrong.querySelectorAll("input")];
    if (choices.length === 1) choices[0].checked = true;
    note.required = true;
    if (!chosenGold()) { choices[0].focus(); return false; }
    if (!note.value.trim()) { note.focus(); note.reportValidity(); return false; }
    return true;
  };

  /* ---- dialogs ---------------------------------------------------------------------------- */
  const dialogs = [...document.querySelectorAll("dialog")];
  const openDialog = (name) => { const dialog = $(`[data-dialog="${name}"]`); if (dialog && !dialog.open) dialog.showModal(); };
  for (const opener of document.querySelectorAll("[data-open]")) {
    opener.addEventListener("click", (event) => { event.preventDefault(); openDialog(opener.dataset.open); });
  }
  for (const dialog of dialogs) dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  /* ---- keys --------------------------------------------------------------------------------- */
  const press = (selector) => { const node = $(selector); if (node && !node.disabled) { node.click(); return true; } return false; };
  const isText = (node) => node instanceof HTMLElement && (node.isContentEditable || node.matches("textarea, select, input:not([type=radio]):not([type=checkbox])"));
  const choose = (key) => {
    for (const node of document.querySelectorAll("[data-keys]")) {
      if (!node.dataset.keys.split(" ").includes(key)) continue;
      const radio = node.querySelector("input[type=radio]");
      if (radio) { radio.checked = true; keepDraft(); note.focus(); } else node.click();
      return true;
    }
    return false;
  };
  const actions = {
    u: () => press("[data-undo]"),
    s: () => press("[data-skip]"),
    f: () => press("[data-flag]"),
    m: () => { if (note) { note.focus(); return true; } return false; },
    k: () => { const slice = $("[data-slice]"); if (slice) { slice.focus(); return true; } return false; },
    c: () => { if (field) { enterContext(); return true; } return false; },
    e: () => { if (!field) return false; if (!markSelected()) { if (cursor >= 0) markHere(); else enterContext(); } return true; },
    g: () => { openDialog("guideline"); return true; },
    h: () => press("[data-history]"),
    "?": () => { openDialog("keys"); return true; },
  };
  const inContext = (event) => {
    if (cursor < 0 || document.activeElement !== passages) return false;
    const moves = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    if (Object.hasOwn(moves, event.key)) { moveTo(cursor + moves[event.key]); return true; }
    if (event.key === " " || event.key === "Enter") { markHere(); return true; }
    if (event.key === "Escape") { passages.blur(); return true; }
    return false;
  };
  const inText = (event) => {
    const isSelect = event.target.matches("select");
    if (event.key === "Escape") { event.target.blur(); return true; }
    /* No kind of claim begins with a digit, so a label can follow the choice at once. */
    if (isSelect && /^[1-3]$/.test(event.key)) return choose(event.key);
    if (isSelect && event.key === "Enter") { event.target.blur(); return true; }
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return false;
    keepDraft();
    event.target.blur();
    if (form && form.dataset.form === "settle") form.requestSubmit($("[data-settle]"));
    else if (form && form.dataset.form === "review" && !goldWrong.hidden) form.requestSubmit($('[data-outcome="gold_wrong"]'));
    return true;
  };
  const onEnter = () => { const next = $("[data-next], [data-go-skipped]"); if (next && (document.activeElement === body || document.activeElement === $("main"))) { next.click(); return true; } return false; };
  document.addEventListener("keydown", (event) => {
    /* An input method has the key: a word is being composed (229 is what older browsers say). */
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
    const open = dialogs.find((dialog) => dialog.open);
    if (open) { if (event.key === (open.dataset.dialog === "keys" ? "?" : "g")) open.close(); return; }
    let done = false;
    if (isText(event.target)) done = inText(event);
    else if (event.ctrlKey || event.metaKey || event.altKey) done = false;
    else if (inContext(event)) done = true;
    else if (event.repeat) done = false;
    else if (event.key === "Enter") done = onEnter();
    else done = choose(event.key.toLowerCase()) || (Object.hasOwn(actions, event.key.toLowerCase()) && actions[event.key.toLowerCase()]());
    if (done) event.preventDefault();
  });
})();
