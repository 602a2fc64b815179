// The map of the right-of-way: its layers are switched, and the view is kept while terraces are derived. The page's
// lists say the same without it.
"use strict";
(function () {
  const village = window.village, map = village && village.map, KEPT = "right-of-way-view";
  const data = JSON.parse(document.getElementById("page-data").textContent);
  if (!map) return;
  const inputs = [...document.querySelectorAll("[data-ground]")];
  const layerOf = (input) => window["geo_json_row_" + input.dataset.ground];
  const streets = window.geo_json_streets;

  function show() {
    inputs.slice().reverse().forEach((input) => { // the list has the uppermost first
      const layer = layerOf(input);
      if (!layer) return;
      if (!input.checked) return layer.remove();
      layer.addTo(map);
      layer.bringToFront();
    });
    if (streets) streets.bringToFront();
  }
  inputs.forEach((input) => input.addEventListener("change", show));
  show();

  try {
    const before = JSON.parse(sessionStorage.getItem(KEPT));
    sessionStorage.removeItem(KEPT);
    if (before) map.setView(before.center, before.zoom, { animate: false });
    document.querySelectorAll("[data-terraces]").forEach((link) => link.addEventListener("click", () => {
      sessionStorage.setItem(KEPT, JSON.stringify({ center: map.getCenter(), zoom: map.getZoom() }));
    }));
  } catch {
    // not allowed to keep it: the map begins anew
  }
  document.querySelectorAll("[data-view]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => map.fitBounds(data.views[button.dataset.view]));
  });
})();
