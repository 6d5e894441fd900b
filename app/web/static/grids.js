// Grids: keys, ticks, and rows that show by themselves what becomes of them. Everything here is also there without it.
"use strict";

{
  const form = document.getElementById("grid");
  const rows = () => [...(form?.querySelectorAll("[data-row]") ?? [])];
  const handle = (row) => row.querySelector("input[name=pk], a");
  const ticks = () => [...(form?.querySelectorAll("input[name=pk]") ?? [])];
  const current = () => rows().findIndex((row) => row.contains(document.activeElement));
  const told = document.getElementById("ticked");
  const page = document.getElementById("tick-page");
  const remembered = `row of ${location.pathname}`;

  const tell = () => {
    const ticked = ticks().filter((tick) => tick.checked).length;
    for (const tick of ticks()) tick.closest("tr").classList.toggle("ticked-row", tick.checked);
    if (page) {
      page.checked = ticked > 0 && ticked === ticks().length;
      page.indeterminate = ticked > 0 && ticked < ticks().length;
    }
    if (told) told.parentElement.classList.toggle("idle", !ticked);
    if (told) told.textContent = `${told.dataset.before} ${ticked || "the"} ticked ${ticked === 1 ? "row" : "rows"}${told.dataset.after}`;
  };

  const go = (index) => {
    const all = rows();
    if (index >= all.length) return document.getElementById("older")?.focus();
    if (all.length) handle(all[Math.max(0, index)])?.focus();
  };

  const tick = (box) => {
    if (!box) return;
    box.checked = !box.checked;
    tell();
  };

  const decide = (button) => {
    const here = rows()[current()];
    if (!ticks().some((one) => one.checked)) {
      if (!here) return told && (told.textContent = "Go to a row with j, or tick some with x");
      tick(handle(here));
    }
    form.requestSubmit(button);
  };

  const keys = {
    j: () => go(current() + 1),
    k: () => go(current() < 0 ? 0 : current() - 1),
    o: () => rows()[current()]?.querySelector(".row-link")?.click(),
    x: () => tick(rows()[current()]?.querySelector("input[name=pk]")),
    "*": () => {
      const all = !ticks().every((one) => one.checked);
      for (const one of ticks()) one.checked = all;
      tell();
    },
    u: () => document.getElementById("undo")?.requestSubmit(),
    "?": () => document.getElementById("keys")?.togglePopover(),
  };

  const typing = (target) => target.closest("textarea, select, [contenteditable], input:not([type=checkbox])");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const button = form?.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
    const action = button ? () => decide(button) : keys[event.key];
    if (!action || (!form && event.key !== "?")) return;
    event.preventDefault();
    action();
  });

  // Whoever decides goes on where they were.
  const remember = () => current() >= 0 && sessionStorage.setItem(remembered, String(current()));
  document.addEventListener("submit", remember);
  const resume = () => {
    const index = sessionStorage.getItem(remembered);
    sessionStorage.removeItem(remembered);
    if (index !== null && rows().length) go(Math.min(Number(index), rows().length - 1));
  };

  // The rows that are on the screen, as they are now: only what changed is touched, ticks and focus stay.
  const renew = (fresh, scope) => {
    for (const part of fresh.querySelectorAll("[data-live]")) {
      const shown = scope(part)?.querySelector(`[data-live="${part.dataset.live}"]`);
      if (shown && shown.innerHTML !== part.innerHTML) shown.replaceChildren(...part.childNodes);
    }
  };
  const ask = async () => {
    const shown = rows().map((row) => `pk=${encodeURIComponent(row.dataset.row)}`);
    const answer = await fetch(`${form.dataset.now}?${shown.join("&")}`, { headers: { "HX-Request": "true" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    renew(fresh, (part) => document.getElementById(part.closest("tr")?.id) ?? document.querySelector(".last"));
  };
  const watch = async () => {
    try {
      if (!document.hidden) await ask();
    } catch {
      // The server is away for a moment; the next time may be better.
    }
    setTimeout(watch, 2000);
  };

  // On a narrow screen a filter that is not in use is out of the way.
  const filters = document.querySelectorAll("details.filters[data-narrow=close]");
  if (matchMedia("(max-width: 720px)").matches) for (const one of filters) one.open = false;

  if (form) {
    form.addEventListener("change", (event) => {
      if (event.target === page) for (const one of ticks()) one.checked = page.checked;
      tell();
    });
    if (page) page.disabled = false;
    tell();
    resume();
    if (form.dataset.now && rows().length) setTimeout(watch, 2000);
  }
}
