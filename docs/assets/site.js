// Say above a table or picture that it is wider than the page. (The theme wraps tables when the page
// loads.)
function hint(wrap) {
  const wide = wrap.scrollWidth > wrap.clientWidth + 1;
  const before = wrap.previousElementSibling;
  const hinted = before && before.classList.contains("scroll-hint");
  if (wide && !hinted) {
    const line = document.createElement("p");
    line.className = "scroll-hint";
    line.textContent = wrap.matches(".wide-picture, .regret > div")
      ? "scroll sideways for the rest →"
      : "scroll sideways for more columns →";
    wrap.before(line);
  } else if (!wide && hinted) {
    before.remove();
  }
}

const hints = () => {
  document.querySelectorAll(".md-typeset img").forEach((image) => {
    const wide = image.naturalWidth >= 1200;
    if (wide && image.parentElement.tagName === "P") image.parentElement.classList.add("wide-picture");
  });
  document.querySelectorAll(".md-typeset__scrollwrap, .wide-picture, figure.regret > div").forEach(hint);
};
window.addEventListener("load", hints);
window.addEventListener("resize", hints);
document$.subscribe(() => setTimeout(hints, 0));
