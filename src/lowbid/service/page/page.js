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
  return new Date(microseconds / 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

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
    h("span", {}, each.archived ? "archived" : `running since ${moment(each.created)}`),
    h("span", {}, `${number(each.today)} decisions today`),
    h("span", {}, leading(each))]))));
  const nothing = h("div", { class: "card" }, h("p", {}, "There are no experiments yet."),
    h("p", { class: "hint" }, "Make one with POST /v1/experiments, or start the server with --experiments FILE."));
  return [h("h1", {}, "Experiments"), items.length ? h("ul", { class: "experiments" }, items) : nothing];
}

function leading(each) {
  if (each.leader === null) return "no outcomes yet";
  return each.sure ? `${each.leader} is best, for sure` : `${each.leader} leads, not sure yet`;
}

function experimentPage(found) {
  document.title = `${found.name} · lowbid`;
  return [
    h("h1", {}, found.name, " ", found.archived ? h("span", { class: "badge none" }, "archived") : null),
    h("p", { class: "lead" }, `${leading(found)}. Running since ${moment(found.created)}, with ${found.settings.policy}.`),
    h("div", { class: "numbers" },
      [["decisions", found.decisions], ["decisions today", found.today], ["outcomes", found.outcomes],
        ["outcomes pending", found.pending], ...(found.lift ? [["held out", found.held_out]] : []),
        ...(found.late ? [["came late", found.late]] : []), ...(found.conflicts ? [["contradict another", found.conflicts]] : [])]
        .map(([name, value]) => h("div", {}, h("b", {}, number(value)), h("span", {}, name)))),
    ...armsPart(found), ...sharesPart(found), ...liftPart(found), ...whyPart(found), ...refusedPart(found), ...historyPart(found),
  ];
}

function table(head, rows, label) {
  const cells = (row, tag) => row.map((cell, i) => h(i ? tag : "th", { class: i ? null : "name", scope: tag === "th" ? "col" : i ? null : "row" }, cell));
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, cells(head, "th"))),
      h("tbody", {}, rows.map((row) => h("tr", { class: row.winner ? "winner" : null }, cells(row, "td"))))));
}

function refusedPart(found) {
  if (!found.refused.length) return [];
  const words = { late: "came late", conflict: "contradicts another" };
  const rows = [...found.refused].reverse().map((each) => [moment(each.time), words[each.answer], short(each.value), each.decision]);
  return [h("h2", {}, "Outcomes not recorded"), table(["when", "why", "value", "decision"], rows, "Outcomes not recorded"),
    h("p", { class: "hint" }, "The last 20. They came after their decision was given up, or after another value for it.")];
}

function armsPart(found) {
  const ends = new Map(found.intervals.map((each) => [each.arm, each]));
  const seen = found.explanation.arms.filter((arm) => arm.count > 0);
  const known = seen.flatMap((arm) => [arm.mean, ends.get(arm.arm).low, ends.get(arm.arm).high]).filter((value) => value !== null);
  const range = [Math.min(...known), Math.max(...known)];
  const total = Math.max(1, found.outcomes);
  const kind = found.explanation.kind;
  const rows = found.explanation.arms.map((arm) => {
    const { low, high } = ends.get(arm.arm);
    const cells = [
      h("span", {}, `${arm.arm} `, arm.paused ? h("span", { class: "badge none" }, "paused") : null),
      short(arm.mean), interval(low, high, arm.mean, range), `${low === null ? "?" : short(low)} to ${high === null ? "?" : short(high)}`,
      number(arm.count), `${Math.round(100 * arm.count / total)}%`, number(arm.pending),
    ];
    if (may("admin")) cells.push(armActs(found, arm));
    return cells;
  });
  const head = ["arm", `mean ${kind}`, `${100 * found.confidence}% interval`, "from, to", "outcomes", "share", "pending"];
  if (may("admin")) head.push("");
  const parts = [h("h2", {}, "Arms"), table(head, rows, "Arms"),
    h("p", { class: "hint" }, "The intervals of all arms hold together and at all times: look as often as you like. All are drawn on one scale.")];
  if (may("admin")) parts.push(addForm(found));
  return parts;
}

function interval(low, high, mean, [from, to]) {
  const width = to > from ? to - from : 1;
  const at = (value, edge) => `${Math.min(100, Math.max(0, 100 * ((value === null ? edge : value) - from) / width))}%`;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "interval");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `mean ${short(mean)}, between ${short(low)} and ${short(high)}`);
  make(svg, "line", { class: "whole", x1: "0%", x2: "100%", y1: "50%", y2: "50%" });
  if (mean !== null) {
    make(svg, "line", { class: "reach", x1: at(low, from), x2: at(high, to), y1: "50%", y2: "50%" });
    make(svg, "circle", { class: "mean", cx: at(mean, from), cy: "50%", r: 4.5 });
  }
  return svg;
}

function armActs(found, arm) {
  const act = (change, text) => h("button", { type: "button", "data-key": `${change} ${arm.arm}`, "aria-label": `${text} ${arm.arm}`,
    class: change === "remove" ? "danger" : null, onclick: () => changeArm(found, arm.arm, change) }, text);
  return h("span", { class: "acts" }, act(arm.paused ? "resume" : "pause", arm.paused ? "Resume" : "Pause"), act("remove", "Remove"));
}

function addForm(found) {
  const field = h("input", { "aria-label": "Name of a new arm", placeholder: "name of a new arm", maxlength: "512", required: true, "data-key": "new arm" });
  return h("form", { class: "add", onsubmit: (event) => {
    event.preventDefault();
    changeArm(found, field.value, "add").then((done) => { if (done) { field.value = ""; look(); } });
  } }, field, h("button", { class: "main", "data-key": "add arm" }, "Add"));
}

async function changeArm(found, arm, change) {
  if (change === "remove" && !await sure(`Remove ${arm}?`, `All that is known of it is lost, and outcomes that come later do not count. This cannot be undone.`, "Remove")) return false;
  try {
    await ask("POST", `v1/experiments/${encodeURIComponent(found.name)}/arms`, { arm, change });
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

function sharesPart(found) {
  if (found.shares.length < 2) {
    return [h("h2", {}, "Share of decisions"), h("p", { class: "hint" }, "A curve appears when there are decisions of more than one minute.")];
  }
  const arms = [...new Set(found.shares.flatMap((share) => share.counts.map(([arm]) => arm)))];
  const most = arms.map((arm) => [arm, found.shares.reduce((sum, share) => sum + countOf(share, arm), 0)])
    .sort((a, b) => b[1] - a[1]).slice(0, STYLES.length).map(([arm]) => arm);
  const curves = most.map((arm, i) => ({
    name: String(arm), ...STYLES[i],
    mean: found.shares.map((share) => countOf(share, arm) / share.counts.reduce((sum, [, count]) => sum + count, 0)),
  }));
  const data = { key: "shares", title: "Share of decisions", unit: "time", measure: "share", marks: [], log: false, time: true, top: 1,
    steps: found.shares.map((share) => share.start / 1000), curves };
  const holder = h("figure", { class: "chart" }, h("figcaption", {}, "Share of decisions over time"), h("div", { class: "tools" }),
    h("div", { class: "plot", tabindex: "0", role: "group", "aria-label": "Share of decisions over time; arrow keys move in time", "data-key": "shares" }),
    h("div", { class: "legend" }, h("span", { class: "when" })), h("script", { type: "application/json" }, JSON.stringify(data)));
  queueMicrotask(() => new Figure(holder));
  return [h("h2", {}, "Share of decisions"), holder];
}

const countOf = (share, arm) => (share.counts.find(([other]) => other === arm) || [0, 0])[1];

function liftPart(found) {
  const { lift, settings } = found;
  if (!lift) return [];
  const known = lift.difference !== null;
  const ends = known ? Math.max(Math.abs(lift.low ?? lift.difference), Math.abs(lift.high ?? lift.difference), 1e-12) : 1;
  const rows = [["decided by the policy", number(lift.decided_count), short(lift.decided)],
    [`held out: always ${settings.control}`, number(lift.held_out_count), short(lift.held_out)]];
  return [
    h("h2", {}, "Holdout"),
    h("p", {}, known ? `The policy's choices bring ${short(Math.abs(lift.difference))} ${lift.difference < 0 ? "less" : "more"} per decision than ${settings.control}, `
      + `a difference between ${short(lift.low)} and ${short(lift.high)}: ${lift.sure ? "better for sure." : "not sure yet."}`
      : "There are no outcomes of both groups yet."),
    known ? h("div", { class: "card" }, interval(lift.low, lift.high, lift.difference, [-ends, ends])) : null,
    table(["units", "outcomes", "mean"], rows, "Holdout and the rest"),
  ];
}

function whyPart(found) {
  const { explanation } = found;
  const batches = Math.max(0, ...explanation.arms.map((arm) => arm.batch_sizes.length));
  const rows = explanation.arms.filter((arm) => !arm.paused).map((arm) => {
    const bids = arm.batch_sizes.map((size, i) => `${short(arm.batch_estimates[i])} (${size})`);
    const row = [String(arm.arm), short(arm.index), ...(batches ? bids.concat(Array(batches - bids.length).fill("")) : [])];
    row.winner = explanation.winners.includes(arm.arm);
    return row;
  });
  const tied = explanation.winners.length > 1;
  const who = explanation.winners.map(String).slice(0, 5).join(", ") + (explanation.winners.length > 5 ? ", …" : "");
  const text = explanation.winners.length === 0 ? `${explanation.policy} does not rank arms by one number each.`
    : `${tied ? `One of ${who}` : who} would be chosen next: ${explanation.policy} takes the ${explanation.best} index${tied ? ", ties at random" : ""}.`;
  const heads = Array.from({ length: batches }, (_, i) => `batch ${i + 1} (size)`);
  return [h("h2", {}, "Why the next arm"), h("p", {}, text), table(["arm", "index", ...heads], rows, "Index and bids of each arm")];
}

function historyPart(found) {
  const rows = [...found.history].reverse().map((each) => [moment(each.time), said(each), each.actor || "–"]);
  return [h("h2", {}, "History of changes"), table(["when", "what", "by"], rows, "History of changes")];
}

function said(each) {
  if (each.event === "arm changed") return `${each.change} ${each.arm}`;
  if (each.event === "settings changed") return Object.entries(each.settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ");
  if (each.event === "archived") return each.archived ? "archived" : "taken up again";
  return each.event;
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
  const typed = main.querySelector("input[data-key]");
  const focused = main.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  if (document.getElementById("ask").open || (typed && typed.value && shown.address === path)) return; // somebody is at work here
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
  const text = gone ? "The server cannot be reached. Trying again …" : error.message;
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
