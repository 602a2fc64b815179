// Share and Print on a page that shows one record; without this script the link is in the address bar.
"use strict";
(function () {
  const said = document.getElementById("said");
  const say = (text) => { if (said) said.textContent = text; };
  document.querySelectorAll("[data-print]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  });
  document.querySelectorAll("[data-share]").forEach((link) => link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || (!navigator.clipboard && !navigator.share)) return;
    event.preventDefault();
    const sent = navigator.share && matchMedia("(pointer: coarse)").matches ? navigator.share({ url: link.href })
      : navigator.clipboard.writeText(link.href).then(() => say("Link copied: " + link.href));
    sent.catch(() => say("The link is " + link.href));
  }));
})();
