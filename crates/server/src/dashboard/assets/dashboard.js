// What pages do in the browser besides showing: every page works without it.
"use strict";

// Times, in the viewer's zone.
const styles = {
  clock: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }),
  day: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }),
  full: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }),
  exact: new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" }),
};

function localTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.textContent = styles[time.dataset.style || "full"].format(moment);
    time.title = styles.exact.format(moment);
  }
}

// Buttons that copy, which are hidden where there is no script or no clipboard.
function copyButtons(within) {
  if (!navigator.clipboard) return;
  for (const button of within.querySelectorAll("[data-copy]")) button.hidden = false;
}

// The way back to a form that failed, with what was filled in. A page that nobody came from has none.
for (const button of document.querySelectorAll("[data-back]")) {
  button.hidden = history.length < 2;
  button.addEventListener("click", () => history.back());
}

function makeReady(within) {
  localTimes(within);
  copyButtons(within);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("copied");
  say("Copied");
  setTimeout(() => button.classList.remove("copied"), 1500);
});

// Light or dark. The choice is a cookie, so that the next page comes in it at once.
for (const button of document.querySelectorAll("[data-theme-button]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme === "auto" ? (prefersDark ? "dark" : "light") : root.dataset.theme;
    const next = now === "dark" ? "light" : "dark";
    root.dataset.theme = next;
    document.cookie = `stead-theme=${next}; Path=/; Max-Age=31536000; SameSite=Lax`;
  });
}

// A line that screen readers say.
const status = document.createElement("p");
status.className = "unseen";
status.setAttribute("role", "status");
document.body.append(status);

function say(text) {
  status.textContent = "";
  status.textContent = text;
}

// What the server sent for each part that keeps itself up to date, to see whether it has changed.
const sent = new Map();

function remember(within) {
  for (const part of within.querySelectorAll("[data-live][id]")) sent.set(part.id, part.outerHTML);
}

function parse(text) {
  return new DOMParser().parseFromString(text, "text/html");
}

function replace(part) {
  const old = document.getElementById(part.id);
  if (!old) return;
  sent.set(part.id, part.outerHTML);
  const adopted = document.importNode(part, true);
  old.replaceWith(adopted);
  makeReady(adopted);
}

async function refresh() {
  const response = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  if (!response?.ok) return;
  for (const part of parse(await response.text()).querySelectorAll("[data-live][id]")) {
    const old = document.getElementById(part.id);
    if (sent.get(part.id) === part.outerHTML || !old || old.dataset.kept !== undefined) continue;
    if (!old.contains(document.activeElement) || document.activeElement.matches("button")) replace(part);
  }
}

// A form that changes one part of its page. `data-kept` keeps that part from being replaced by what is on the server.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  const selector = form.dataset.swap;
  if (!selector) return;
  event.preventDefault();
  const button = form.querySelector("button");
  button.setAttribute("aria-busy", "true");
  button.disabled = true;
  const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => null);
  const page = response && parse(await response.text());
  const part = page?.querySelector(selector);
  if (!part) {
    form.submit();
    return;
  }
  replace(part);
  const now = document.querySelector(selector);
  now.dataset.kept = "";
  now.querySelector("form[data-swap] button")?.focus();
  say("Done");
});

remember(document);
makeReady(document);
const seconds = Number(document.querySelector("[data-live-seconds]")?.dataset.liveSeconds || 0);
const parts = document.querySelector("[data-live]");
if (parts) {
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
  if (seconds > 0) setInterval(() => document.visibilityState === "visible" && refresh(), seconds * 1000);
}
