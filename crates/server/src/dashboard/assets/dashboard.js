// Extras for the pages. Every page also works without this script.
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

// Copy buttons. They stay hidden without a script or a clipboard.
function copyButtons(within) {
  if (!navigator.clipboard) return;
  for (const button of within.querySelectorAll("[data-copy]")) button.hidden = false;
}

// The Back button returns to a failed form and keeps its values. Without history there is no button.
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

// Light or dark. A cookie stores the choice, so the server renders the next page in it.
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

// A line for screen readers.
const status = document.createElement("p");
status.className = "unseen";
status.setAttribute("role", "status");
document.body.append(status);

function say(text) {
  status.textContent = "";
  status.textContent = text;
}

// The server's latest HTML of each live part, to notice changes.
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

// A form that updates one part of its page. `data-kept` protects that part from live updates.
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
