// What a page can not do by itself: a key for the search, rest while nobody looks, and a word when the server is away.
"use strict";

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.getElementById("search");
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
});

// A page in the background asks for nothing.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden) event.preventDefault();
});

const offline = document.getElementById("offline");
const say = (text) => {
  if (offline.textContent !== text) offline.textContent = text;
};
document.addEventListener("htmx:after:request", (event) => {
  const response = event.detail.ctx?.response;
  say(response && response.status >= 400 ? "These figures stand still: the server can not answer now." : "");
});
document.addEventListener("htmx:error", () => say("These figures stand still: the server does not answer."));

// Forms that change much ask once more.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset.ask;
  if (question && !window.confirm(question)) event.preventDefault();
});
