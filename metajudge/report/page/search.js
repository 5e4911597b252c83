"use strict";
/* Unpacks Plotly after the page is readable, then draws Optuna's charts in the theme's colours. */
(() => {
  const { data, listeners, word } = metajudge;
  const charts = data.charts;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const copy = (value) => JSON.parse(JSON.stringify(value));

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
    const drawn = { ...copy(layout), title: undefined, height: 440, autosize: true };
    const line = colour("--line");
    Object.assign(drawn, {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--fg"), family: colour("--font"), size: 13 },
      margin: { l: 60, r: 24, t: 28, b: 48 },
      hoverlabel: { bgcolor: colour("--card"), bordercolor: line, font: { color: colour("--fg") }, align: "left" },
    });
    for (const axis of ["xaxis", "yaxis"]) {
      drawn[axis] = { ...drawn[axis], gridcolor: line, linecolor: line, tickcolor: line, zerolinecolor: line, automargin: true };
    }
    return drawn;
  }

  function draw() {
    if (typeof Plotly === "undefined") return;
    for (const [name, figure] of Object.entries(charts)) {
      const place = document.getElementById(`chart-${name}`);
      if (!place) continue;
      const loading = place.querySelector(".loading");
      if (loading) loading.remove();
      Plotly.react(place, copy(figure.data), themed(figure.layout), { displaylogo: false, responsive: true, displayModeBar: false });
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
