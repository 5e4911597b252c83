"use strict";
/* Unpacks Plotly after the page is readable, then draws in the colours of the theme. */
(() => {
  const { data, element, language, listeners, word } = metajudge;
  const charts = data.charts;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const config = { displaylogo: false, showSendToCloud: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const narrow = () => innerWidth < 760;

  async function unpack() {
    const packed = document.getElementById("plotly").textContent.trim();
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
    if (typeof Plotly === "undefined") throw new Error("Plotly did not start");
  }

  function themed(layout) {
    const drawn = copy(layout);
    const line = colour("--line");
    Object.assign(drawn, {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--fg"), family: colour("--font"), size: narrow() ? 12 : 13 },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--dim"), activecolor: colour("--accent"), orientation: "v" },
      hoverlabel: { bgcolor: colour("--card"), bordercolor: line, font: { color: colour("--fg") }, align: "left" },
    });
    for (const axis of ["xaxis", "yaxis"]) {
      drawn[axis] = { ...drawn[axis], gridcolor: line, linecolor: line, tickcolor: line };
    }
    for (const shape of drawn.shapes || []) shape.fillcolor = colour("--accent-bg");
    for (const note of drawn.annotations || []) note.font = { ...note.font, color: colour("--accent") };
    return drawn;
  }
  const SCATTER = { won: "--accent", safe: "--safe", off: "--off" };
  function scatter() {
    const figure = charts.scatter[language()];
    const traces = copy(figure.data).map((trace) => {
      const own = colour(SCATTER[trace.meta.state]);
      const solid = trace.meta.state !== "off";
      trace.marker = { ...trace.marker, color: solid ? own : colour("--card"), line: { color: own, width: 1.6 } };
      trace.textfont = { ...trace.textfont, color: solid ? colour("--card") : own };
      for (const axis of ["error_x", "error_y"]) trace[axis].color = own + "88";
      return trace;
    });
    const layout = themed(figure.layout);
    layout.height = narrow() ? 480 : 520;
    if (narrow()) layout.margin = { ...layout.margin, t: 24 + 13 * traces.length, l: 56, r: 6 };
    return ["chart-scatter", traces, layout];
  }

  const pick = { a: document.getElementById("slice-a"), b: document.getElementById("slice-b") };
  function fill() {
    for (const [key, select] of Object.entries(pick)) {
      const before = select.value;
      select.replaceChildren();
      data.browser.rows.forEach((row, index) => {
        const option = element("option", "", metajudge.rowName(row));
        option.value = String(index);
        select.append(option);
      });
      select.value = before || String(key === "a" ? data.first : data.second);
    }
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
    return ["chart-slices", traces, layout];
  }

  function draw(...parts) {
    if (typeof Plotly === "undefined") return;
    for (const [id, traces, layout] of parts) {
      const place = document.getElementById(id);
      const loading = place.querySelector(".loading");
      if (loading) loading.remove();
      Plotly.react(place, traces, layout, { ...config, displayModeBar: narrow() ? false : "hover" });
    }
  }
  const drawAll = () => draw(scatter(), slices());

  fill();
  for (const select of Object.values(pick)) select.addEventListener("change", () => draw(slices()));
  listeners.push(() => { fill(); drawAll(); });
  dark.addEventListener("change", drawAll);
  unpack().then(drawAll).catch(() => {
    for (const place of document.querySelectorAll(".loading")) place.textContent = word("charts_failed");
  }).finally(() => { document.documentElement.dataset.ready = "true"; });
  metajudge.show(data.language);
})();
