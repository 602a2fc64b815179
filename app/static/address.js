// The map of one address: its place, the lines it was numbered by, the numbers beside it.
"use strict";
(function () {
  const village = window.village, map = village && village.map;
  if (!map) return;
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const place = { lat: data.position[0], lon: data.position[1] };
  document.querySelectorAll("[data-view]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => map.fitBounds(data.views[button.dataset.view]));
  });
  map.on("zoomend", () => village.draw(data.answer, place));
  map.setView(village.middle(data.answer, place), 18.5, { animate: false });
  village.draw(data.answer, place);
})();
