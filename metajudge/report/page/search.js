"use strict";
/* Draws Optuna's charts in the theme's colours. */
(() => {
  const { data, language, listeners } = metajudge;
  const { colour, copy, dark, lines, narrow, start, themed: plain } = metajudge.plotly;

  function themed(layout) {
    const drawn = { ...copy(layout), title: undefined, height: narrow() ? 400 : 440, autosize: true };
    Object.assign(drawn, plain(), { margin: { l: narrow() ? 44 : 60, r: 20, t: 48, b: 48 } });
    const ruled = { ...lines(), zerolinecolor: colour("--line") };
    for (const axis of ["xaxis", "yaxis"]) drawn[axis] = { ...drawn[axis], ...ruled, automargin: true };
    if (drawn.scene) {
      const bare = { ...ruled, backgroundcolor: "rgba(0,0,0,0)", nticks: 5 };
      for (const axis of ["xaxis", "yaxis", "zaxis"]) drawn.scene[axis] = { ...drawn.scene[axis], ...bare };
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

  listeners.push(draw);
  dark.addEventListener("change", draw);
  start(draw);
  metajudge.show(data.language);
})();
