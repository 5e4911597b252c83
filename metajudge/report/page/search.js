"use strict";
/* Unpacks Plotly after the page is readable, then draws Optuna's charts in the theme's colours. */
(() => {
  const { data, language, listeners, word } = metajudge;
  const dark = matchMedia("(prefers-color-scheme: dark)");
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
    const drawn = { ...copy(layout), title: undefined, height: narrow() ? 400 : 440, autosize: true };
    const line = colour("--line");
    Object.assign(drawn, {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--fg"), family: colour("--font"), size: narrow() ? 12 : 13 },
      margin: { l: narrow() ? 44 : 60, r: 20, t: 48, b: 48 },
      hoverlabel: { bgcolor: colour("--card"), bordercolor: line, font: { color: colour("--fg") }, align: "left" },
    });
    const lines = { gridcolor: line, linecolor: line, tickcolor: line, zerolinecolor: line };
    for (const axis of ["xaxis", "yaxis"]) drawn[axis] = { ...drawn[axis], ...lines, automargin: true };
    if (drawn.scene) {
      const plain = { ...lines, backgroundcolor: "rgba(0,0,0,0)", nticks: 5 };
      for (const axis of ["xaxis", "yaxis", "zaxis"]) drawn.scene[axis] = { ...drawn.scene[axis], ...plain };
      Object.assign(drawn.scene, { camera: { eye: { x: 1.7, y: 1.7, z: 0.9 } }, aspectmode: "cube" });
      drawn.margin = { l: 0, r: 0, t: 48, b: 0 };
    }
    return drawn;
  }
  function painted(trace) {
    const { colour: name, hollow } = trace.meta;
    const own = colour(name);
    const edge = { color: own, width: hollow ? 1.6 : 0.5 };
    if (trace.type === "bar") return { ...trace, marker: { color: own } };
    if (trace.mode === "lines") return { ...trace, line: { color: own } };
    return { ...trace, marker: { ...trace.marker, color: hollow ? colour("--card") : own, line: edge } };
  }

  function draw() {
    if (typeof Plotly === "undefined") return;
    for (const [name, figure] of Object.entries(data.charts[language()])) {
      const place = document.getElementById(`chart-${name}`);
      if (!place) continue;
      const loading = place.querySelector(".loading");
      if (loading) loading.remove();
      Plotly.react(place, copy(figure.data).map(painted), themed(figure.layout), { displaylogo: false, responsive: true, displayModeBar: false });
    }
  }

  const ready = () => { document.documentElement.dataset.ready = "true"; };
  listeners.push(draw);
  dark.addEventListener("change", draw);
  if (document.getElementById("plotly")) {
    unpack().then(draw).catch(() => {
      for (const place of document.querySelectorAll(".loading")) place.textContent = word("charts_failed");
    }).finally(ready);
  } else ready();
  metajudge.show(data.language);
})();
