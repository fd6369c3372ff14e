// Adds new rows to the table and updates the charts.
"use strict";

(() => {
  const MOST = 50;
  const table = document.querySelector("[data-stream]");
  const mark = document.querySelector("[data-live-mark]");
  if (!table || !window.EventSource) return;
  let source = null;

  // Browsers only parse rows inside a table.
  function readRows(html) {
    const template = document.createElement("template");
    template.innerHTML = `<table><tbody>${html}</tbody></table>`;
    return [...template.content.querySelectorAll("tr")];
  }

  function addRows(html) {
    for (const row of readRows(html).reverse()) {
      if (document.getElementById(row.id)) continue;
      row.classList.add("new");
      table.prepend(row);
      makeReady(row);
    }
    while (table.rows.length > MOST) table.rows[table.rows.length - 1].remove();
    if (!table.rows.length) return;
    table.closest("section").hidden = false;
    document.querySelector("[data-nothing]")?.remove();
  }

  function replaceSummary(html) {
    const old = document.getElementById("summary");
    const now = parse(html).getElementById("summary");
    if (!old || !now || old.contains(document.activeElement)) return;
    const open = old.querySelector("details")?.open;
    const adopted = document.importNode(now, true);
    if (open) adopted.querySelector("details")?.setAttribute("open", "");
    old.replaceWith(adopted);
    makeReady(adopted);
  }

  function start() {
    if (source) return;
    source = new EventSource(table.dataset.stream);
    source.addEventListener("open", () => { if (mark) mark.hidden = false; });
    source.addEventListener("error", () => { if (mark) mark.hidden = true; });
    source.addEventListener("rows", (event) => addRows(event.data));
    source.addEventListener("summary", (event) => replaceSummary(event.data));
  }

  function stop() {
    source?.close();
    source = null;
    if (mark) mark.hidden = true;
  }

  // A hidden page stops its stream, because live streams are limited.
  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? start() : stop()));
  addEventListener("pagehide", stop);
  start();
})();
