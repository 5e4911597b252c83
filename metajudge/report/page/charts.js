"use strict";
/* Draws the charts that are in sight, in the theme's colours. */
(() => {
  const { data, element, language, listeners, tabs } = metajudge;
  const { colour, copy, dark, lines, narrow, start, themed: plain } = metajudge.plotly;
  const charts = data.charts;
  const config = { displaylogo: false, showSendToCloud: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };

  function themed(layout) {
    const drawn = copy(layout);
    Object.assign(drawn, plain(), {
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--dim"), activecolor: colour("--accent"), orientation: "v" },
    });
    for (const axis of ["xaxis", "yaxis"]) drawn[axis] = { ...drawn[axis], ...lines() };
    for (const shape of drawn.shapes || []) {
      if (shape.type === "line") shape.line.color = colour("--dim");
      else shape.fillcolor = colour("--accent-bg");
    }
    for (const note of drawn.annotations || []) note.font = { ...note.font, color: colour("--accent") };
    return drawn;
  }
  function painted(trace) {
    const { colour: name, hollow, outside } = trace.meta;
    const own = colour(name);
    const mode = trace.mode || "";
    if (mode.includes("markers")) {
      const open = String(trace.marker.symbol || "").endsWith("-open");
      trace.marker = { ...trace.marker, color: hollow ? colour("--card") : own, line: { color: own, width: open || hollow ? 1.6 : 0.5 } };
    }
    if (mode.includes("lines")) trace.line = { ...trace.line, color: own };
    if (mode.includes("text")) trace.textfont = { ...trace.textfont, color: outside ? colour("--fg") : hollow ? own : colour("--card") };
    for (const axis of ["error_x", "error_y"]) if (trace[axis]) trace[axis].color = own + "88";
    return trace;
  }
  function fixed(name) {
    const figure = charts.fixed[name][language()];
    const traces = copy(figure.data).map(painted);
    const layout = themed(figure.layout);
    const tall = { scatter: 520, front: 520, power: 420 }[name] || 380;
    layout.height = narrow() ? Math.min(480, tall) : tall;
    if (narrow() && name === "front") {
      for (const trace of traces) if (trace.marker) trace.marker.size = trace.marker.size.map((size) => 0.7 * size);
    }
    if (narrow() && layout.legend) layout.margin = { ...layout.margin, t: 24 + 13 * traces.length, l: 56, r: 6 };
    return [traces, layout];
  }

  function fillRows(select, rows, chosen) {
    const before = select.value;
    select.replaceChildren(...rows.map(([value, row]) => {
      const option = element("option", "", metajudge.rowName(row));
      option.value = String(value);
      return option;
    }));
    select.value = before || String(chosen);
  }
  const pick = { a: document.getElementById("slice-a"), b: document.getElementById("slice-b") };
  const sure = document.getElementById("calibration-choice");
  function fill() {
    const rows = data.browser.rows.map((row, index) => [index, row]);
    fillRows(pick.a, rows, data.first);
    fillRows(pick.b, rows, data.second);
    if (sure) fillRows(sure, data.calibrated.map((row, index) => [index, data.browser.rows[row]]), Math.max(0, data.calibrated.indexOf(data.first)));
  }
  function slices() {
    const bars = [pick.a, pick.b].filter((select) => select.value !== "");
    const colours = [colour("--accent"), colour("--off")];
    const traces = bars.map((select, k) => {
      const trace = copy(charts.slices.traces[Number(select.value)]);
      trace.marker = { color: colours[k] };
      trace.error_x.color = colour("--dim");
      return trace;
    });
    const layout = themed(charts.slices.layouts[language()]);
    if (narrow()) layout.margin.r = 8;
    return [traces, layout];
  }
  function chosen(name) {
    const figure = charts.chosen[name][Number(sure.value)][language()];
    const layout = themed(figure.layout);
    layout.height = narrow() ? 360 : 420;
    return [copy(figure.data).map(painted), layout];
  }

  const makers = new Map();
  for (const name of Object.keys(charts.fixed)) makers.set(name, () => fixed(name));
  for (const name of Object.keys(charts.chosen)) makers.set(name, () => chosen(name));
  makers.set("slices", slices);
  const stale = new Set();
  function draw() {
    if (typeof Plotly === "undefined") return;
    for (const name of [...stale]) {
      const place = document.getElementById(`chart-${name}`);
      if (!place) stale.delete(name);
      if (!place || place.closest("[data-panel]").hidden) continue;
      const loading = place.querySelector(".loading");
      if (loading) loading.remove();
      Plotly.react(place, ...makers.get(name)(), { ...config, displayModeBar: narrow() || place.closest(".half") ? false : "hover" });
      stale.delete(name);
    }
  }
  const redraw = (...names) => {
    for (const name of names) stale.add(name);
    draw();
  };
  const redrawAll = () => redraw(...makers.keys());

  fill();
  for (const select of Object.values(pick)) select.addEventListener("change", () => redraw("slices"));
  if (sure) sure.addEventListener("change", () => redraw("reliability", "abstention"));
  listeners.push(() => { fill(); redrawAll(); });
  dark.addEventListener("change", redrawAll);
  tabs.watchers.push(() => {
    draw();
    for (const place of document.querySelectorAll("[data-panel]:not([hidden]) .js-plotly-plot")) Plotly.Plots.resize(place);
  });
  start(redrawAll);
  metajudge.show(data.language);
})();
