// The theme makes a landmark of each block's buttons. Screen readers list landmarks, and there would be dozens of one name.
const plain = () =>
  document.querySelectorAll(".md-code__nav:not([role])").forEach((nav) => nav.setAttribute("role", "presentation"));
new MutationObserver(plain).observe(document.body, { childList: true, subtree: true });
plain();
