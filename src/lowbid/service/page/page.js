// The page of the service: what the experiments are doing, live. Texts from outside are always set
// as text, never as HTML.
"use strict";

const LOOK_EVERY = 2000; // milliseconds
const SIGNED_IN = "lowbid signed in"; // whether there may be a session; its cookie is not to be read here
const STYLES = JSON.parse(document.body.dataset.styles);
const main = document.getElementById("main");
const live = document.getElementById("live");
let session = null;
let shown = { address: null, version: null };
let timer = 0;

// Elements

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const number = (value) => (value === null || value === undefined ? "–" : value.toLocaleString("en"));

function short(value) {
  if (value === null || value === undefined) return "–";
  return String(+value.toPrecision(4));
}

function moment(microseconds) {
  return new Date(microseconds / 1000).toLocaleString(undefined, { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
}

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

// Requests

class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || `the server answered ${status}`);
    this.status = status;
  }
}

async function ask(method, path, body) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (session && method !== "GET") headers["X-Lowbid-Token"] = session.token;
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  if (answer.status === 204) return null;
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, found);
  return found;
}

const may = (role) => session !== null && (session.roles.includes(role) || session.roles.includes("admin"));

// Views

function state(text) {
  shown.version = null;
  main.replaceChildren(h("p", { class: "state" }, text));
}

function trouble(heading, text) {
  shown.version = null;
  if (main.querySelector(".trouble p")?.textContent === text) return; // said before: do not say it again
  const back = address().path === "v1/experiments" ? null : h("p", {}, h("a", { href: "#/" }, "All experiments"));
  main.replaceChildren(h("div", { class: "card trouble", role: "alert" }, h("h1", {}, heading), h("p", {}, text), back));
}

function signIn(message) {
  shown = { address: null, version: null };
  document.title = "Sign in · lowbid";
  const said = h("p", { class: "error", role: "alert" }, message || "");
  const field = h("input", { id: "key", type: "password", autocomplete: "off", required: true, spellcheck: "false" });
  const form = h("form", { class: "card sign-in", onsubmit: async (event) => {
    event.preventDefault();
    try {
      session = await ask("POST", "v1/session", { key: field.value.trim() });
      localStorage.setItem(SIGNED_IN, "yes");
      greet();
      follow();
    } catch (error) {
      said.textContent = error.message;
      field.select();
    }
  } },
  h("h1", {}, "Sign in"),
  h("label", { for: "key" }, "Your key"), field, said,
  h("button", { class: "main" }, "Sign in"),
  h("p", { class: "hint" }, "It begins with lowbid_. Whoever runs the server makes keys with: lowbid keys add"));
  main.replaceChildren(form);
  field.focus();
}

function greet() {
  document.getElementById("who").textContent = session ? `${session.name} · ${session.roles.join(", ")}` : "";
  document.getElementById("out").hidden = !session || session.open;
}

function listPage({ experiments }) {
  document.title = "Experiments · lowbid";
  const items = experiments.map((each) => h("li", {}, h("a", { href: `#/experiments/${encodeURIComponent(each.name)}`, "data-key": each.name },
    h("b", {}, each.name),
    ...(each.trouble ? [h("span", { class: "error" }, `cannot be opened: ${each.trouble}`)] : [
    h("span", {}, each.archived ? "finished" : `running since ${moment(each.created)}`),
    h("span", {}, `${number(each.today)} decisions today (UTC)`),
    h("span", {}, leading(each))]))));
  const nothing = h("div", { class: "card" }, h("p", {}, "There are no experiments yet."),
    h("p", { class: "hint" }, "Create one with POST /v1/experiments, or start the server with --experiments FILE."));
  return [h("h1", {}, "Experiments"), items.length ? h("ul", { class: "experiments" }, items) : nothing, may("admin") ? createForm() : null];
}

function createForm() {
  const field = (label, attributes) => h("label", {}, label, h("input", { "data-key": label, ...attributes }));
  const name = field("Name", { required: true, maxlength: "200", placeholder: "checkout" });
  const arms = field("Arms, separated by commas", { required: true, placeholder: "short page, long page" });
  const low = field("Lowest reward, if known", { type: "number", step: "any", placeholder: "0" });
  const high = field("Highest reward, if known", { type: "number", step: "any", placeholder: "1" });
  const holdout = field("Part of units held out, which always get the first arm", { type: "number", min: "0", max: "0.99", step: "any", value: "0.1" });
  const value = (label) => label.querySelector("input").value.trim();
  return h("details", { class: "fold" }, h("summary", { "data-key": "create" }, h("h2", {}, "Create an experiment")),
    h("form", { class: "card create", onsubmit: async (event) => {
      event.preventDefault();
      const names = value(arms).split(",").map((each) => each.trim()).filter(Boolean);
      const wanted = { name: value(name), arms: names };
      if (value(low) !== "" && value(high) !== "") wanted.reward_range = [Number(value(low)), Number(value(high))]; else wanted.kind = "reward";
      if (Number(value(holdout)) > 0) Object.assign(wanted, { holdout: Number(value(holdout)), control: names[0] });
      try {
        await ask("POST", "v1/experiments", wanted);
        event.target.reset();
        location.hash = `#/experiments/${encodeURIComponent(wanted.name)}`;
      } catch (error) {
        complain(error);
      }
    } }, name, arms, low, high, holdout, h("button", { class: "main" }, "Create")));
}

function table(head, rows, label) {
  const cells = (row, tag) => row.map((cell, i) => h(i ? tag : "th", { class: i ? null : "name", scope: tag === "th" ? "col" : i ? null : "row", "data-label": tag === "td" && i ? head[i] : null }, cell));
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, cells(head, "th"))),
      h("tbody", {}, rows.map((row) => h("tr", { class: row.winner ? "winner" : null }, cells(row, "td"))))));
}

// Make a change, and show what it did; returns whether it succeeded.
async function act(change) {
  try {
    await change();
    shown.version = null;
    look();
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

function sure(title, text, yes) {
  const dialog = document.getElementById("ask");
  document.getElementById("ask-title").textContent = title;
  document.getElementById("ask-text").textContent = text;
  document.getElementById("ask-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

// Following along

const VIEWS = [
  [/^#\/experiments\/([^/]+)$/, (name) => `v1/experiments/${name}/overview`, experimentPage],
  [/^(?:#\/?)?$/, () => "v1/experiments", listPage],
];

function address() {
  for (const [pattern, path, page] of VIEWS) {
    const match = pattern.exec(location.hash);
    if (match) return { path: path(match[1]), page };
  }
  return { path: "v1/experiments", page: listPage };
}

async function look() {
  clearTimeout(timer);
  const { path, page } = address();
  try {
    const found = await ask("GET", path);
    if (address().path !== path) return;
    live.textContent = "live";
    live.className = "on";
    const version = found.version === undefined ? JSON.stringify(found.experiments.map((each) => [each.name, each.version, each.today])) : found.version;
    if (shown.address !== path || shown.version !== version) display(page(found), path, version);
  } catch (error) {
    if (error.status === 401) { session = null; greet(); signIn(shown.address === null ? "" : "The session has ended; sign in again."); return; }
    complain(error);
  }
  timer = setTimeout(look, document.hidden ? 5 * LOOK_EVERY : LOOK_EVERY);
}

function display(content, path, version) {
  const typed = [...main.querySelectorAll("input[data-key]")].find((input) => input.value !== input.defaultValue);
  const focused = main.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  if (document.getElementById("ask").open || (typed && shown.address === path)) return; // somebody is at work here
  const scrolled = [...main.querySelectorAll(".wide")].map((element) => element.scrollLeft);
  main.replaceChildren(...content.filter((part) => part !== null));
  if (shown.address === path) [...main.querySelectorAll(".wide")].forEach((element, i) => { element.scrollLeft = scrolled[i] || 0; });
  if (focused !== undefined) main.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  shown = { address: path, version };
}

function complain(error) {
  live.textContent = error.status === undefined ? "no connection" : "error";
  live.className = "off";
  const gone = error.status === undefined;
  const text = gone ? "The server cannot be reached; trying again …" : error.message;
  const heading = gone ? "No connection" : { 403: "No permission", 404: "Not found" }[error.status] || "Something went wrong";
  if (shown.version === null || error.status === 404) trouble(heading, text); else say(text);
}

function say(text) {
  const old = document.getElementById("said");
  if (old) old.remove();
  main.prepend(h("p", { id: "said", class: "state error", role: "alert" }, text));
}

function follow() {
  if (shown.address !== address().path) { shown = { address: null, version: null }; state("Loading …"); }
  look();
}

document.getElementById("out").addEventListener("click", async () => {
  try {
    await ask("DELETE", "v1/session");
  } catch (error) {
    complain(error); // still signed in: the cookie would be accepted
    return;
  }
  clearTimeout(timer);
  localStorage.removeItem(SIGNED_IN);
  session = null;
  greet();
  live.textContent = "";
  live.className = "";
  signIn();
});
window.addEventListener("hashchange", () => { if (session) { follow(); main.focus(); } });
document.addEventListener("visibilitychange", () => { if (session && !document.hidden) look(); });

(async () => {
  if (document.body.dataset.keys === "needed" && !localStorage.getItem(SIGNED_IN)) { signIn(); return; }
  try {
    session = await ask("GET", "v1/session");
    greet();
    follow();
  } catch (error) {
    if (error.status !== 401) { complain(error); return; }
    localStorage.removeItem(SIGNED_IN);
    signIn();
  }
})();
