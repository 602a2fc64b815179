// Where a violation is reported: a tap on the map, or the phone's position, asks for the addresses nearest to it.
"use strict";
(function () {
  const village = window.village, map = village && village.map;
  const data = JSON.parse(document.getElementById("page-data").textContent), said = document.getElementById("said");
  const look = (lat, lon) => location.assign("/cases/report?" + new URLSearchParams({ lat: lat.toFixed(7), lon: lon.toFixed(7) }));

  function locate() {
    if (!navigator.geolocation) {
      said.textContent = "This browser does not give its position here. It does on https pages and on this computer.";
      return;
    }
    said.textContent = "Waiting for your position …";
    navigator.geolocation.getCurrentPosition(
      (p) => look(p.coords.latitude, p.coords.longitude),
      () => { said.textContent = "Your position is not available. Allow it in the browser, or tap the map."; },
      { enableHighAccuracy: true, timeout: 15000, maximumAge: 5000 });
  }
  document.querySelectorAll("[data-locate]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", locate);
  });
  if (!map) return;
  document.querySelectorAll("[data-view]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => map.fitBounds(data.views[button.dataset.view]));
  });
  map.on("click", (event) => look(event.latlng.lat, event.latlng.wrap().lng));
  if (data.position) {
    map.setView(data.position, 18.5, { animate: false });
    L.circleMarker(data.position, { radius: 8, color: "#d55e00", weight: 3, fillColor: "#fff", fillOpacity: 1, interactive: false }).addTo(map);
    data.found.forEach((one) => L.circleMarker([one.lat, one.lon], { radius: 6, color: "#000", weight: 2, fillColor: "#000", fillOpacity: 1, interactive: false }).addTo(map));
  }
})();
