// What the theme leaves to be said for people who use a keyboard or a screen reader.
const tell = () => {
  // A landmark for each block's buttons would be dozens of one name.
  document.querySelectorAll(".md-code__nav:not([role])").forEach((nav) => nav.setAttribute("role", "presentation"));
  // Wide blocks and tables scroll, so a keyboard has to reach them.
  document.querySelectorAll(".md-typeset__scrollwrap, pre > code").forEach((part) => {
    if (part.getAttribute("tabindex") !== "0") part.setAttribute("tabindex", "0");
  });
};
const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ["tabindex"] };
new MutationObserver(tell).observe(document.body, changes);
tell();
