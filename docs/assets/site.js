// Say above a table that it is wider than the page. (The theme wraps tables when the page loads.)
function hint(wrap) {
  const wide = wrap.scrollWidth > wrap.clientWidth + 1;
  const before = wrap.previousElementSibling;
  const hinted = before && before.classList.contains("scroll-hint");
  if (wide && !hinted) {
    const line = document.createElement("p");
    line.className = "scroll-hint";
    line.textContent = "scroll sideways for more columns →";
    wrap.before(line);
  } else if (!wide && hinted) {
    before.remove();
  }
}

const hints = () => document.querySelectorAll(".md-typeset__scrollwrap").forEach(hint);
window.addEventListener("load", hints);
window.addEventListener("resize", hints);
document$.subscribe(() => setTimeout(hints, 0));
