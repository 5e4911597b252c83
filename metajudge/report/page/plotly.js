"use strict";
/* Plotly, unpacked after the page is readable, and what all charts share: colours, type, sizes. */
metajudge.plotly = (() => {
  const { word } = metajudge;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const narrow = () => innerWidth < 760;
  const ready = () => { document.documentElement.dataset.ready = "true"; };

  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
    if (typeof Plotly === "undefined") throw new Error("Plotly did not start");
  }

  /* Draws once Plotly is there, and says so where it cannot be had; a page without charts is ready. */
  function start(draw) {
    const packed = document.getElementById("plotly");
    if (!packed) { ready(); return; }
    unpack(packed.textContent.trim()).then(draw).catch(() => {
      for (const place of document.querySelectorAll(".loading")) place.textContent = word("charts_failed");
    }).finally(ready);
  }
  const themed = () => ({
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: colour("--fg"), family: colour("--font"), size: narrow() ? 12 : 13 },
    hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--line"), font: { color: colour("--fg") }, align: "left" },
  });
  const lines = () => ({ gridcolor: colour("--line"), linecolor: colour("--line"), tickcolor: colour("--line") });
  return { colour, copy, dark, lines, narrow, start, themed };
})();
