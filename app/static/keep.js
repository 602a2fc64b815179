// Keeps what was typed into a form until its answer comes, in this tab alone, and puts it back after a session that
// ended in between. Nothing is sent again by itself; passwords, files and hidden fields are not kept.
"use strict";
(function () {
  const NAME = "typed", person = document.body.dataset.person, ended = document.querySelector("[data-ended]");
  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem(NAME));
    } catch {
      return null;
    }
  };
  const write = (kept) => {
    try {
      if (kept) sessionStorage.setItem(NAME, JSON.stringify(kept));
      else sessionStorage.removeItem(NAME);
    } catch {
      // too long, or not allowed: it is typed again
    }
  };
  const isTyped = (field) => field.name && !["hidden", "password", "file", "submit", "button"].includes(field.type);
  const isChoice = (field) => field.type === "checkbox" || field.type === "radio";
  const where = () => location.pathname + location.search;

  function keep(form) {
    const fields = [...form.elements].filter(isTyped);
    if (form.method !== "post" || !fields.length) return;
    const typed = fields.map((field) => [field.name, field.value, isChoice(field) ? field.checked : true]);
    write({ person, where: where(), action: form.getAttribute("action"), typed });
  }

  function putBack(kept) {
    const forms = [...document.querySelectorAll("form")].filter((form) => form.method === "post" && form.getAttribute("action") === kept.action);
    const fields = forms.flatMap((form) => [...form.elements]).filter(isTyped);
    for (const [name, value, checked] of kept.typed) {
      const at = fields.findIndex((field) => field.name === name && (!isChoice(field) || field.value === value));
      if (at < 0) continue;
      const [field] = fields.splice(at, 1);
      if (isChoice(field)) field.checked = checked;
      else field.value = value;
      const folded = field.closest("details");
      if (folded && field.value && !isChoice(field)) folded.open = true;
    }
    if (!forms.length) return;
    const told = document.createElement("p");
    told.className = "notice";
    told.setAttribute("role", "status");
    told.textContent = "Your session had ended. What you typed is back in the form; nothing was sent. Look at it and send it again.";
    forms[0].before(told);
  }

  const kept = read();
  if (ended && kept) {
    write({ ...kept, ended: true });
    ended.append(" What you typed is kept in this tab, and is back in its form after you sign in.");
  } else if (person && kept) {
    const waits = kept.ended && kept.person === person && kept.where !== where();
    if (kept.ended && kept.person === person && !waits) putBack(kept);
    if (!waits) write(null);
  }
  if (person) document.addEventListener("submit", (event) => {
    if (event.target.getAttribute("action") === "/sign-out") {
      write(null);
      if (window.caches) caches.delete("field"); // the field page is not kept at hand for whoever comes next
    } else if (!event.defaultPrevented) keep(event.target);
  });
})();
