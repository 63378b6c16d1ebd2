// One experiment: the verdict first, then the arms, and what a closer look needs. See page.js for
// the rest. Texts from outside are always set as text, never as HTML.
"use strict";

const FEW = 15; // arms shown before one asks for all
const opened = new Set(); // what the reader has unfolded, by experiment and part

function experimentPage(found) {
  document.title = `${found.name} · lowbid`;
  return [
    h("h1", {}, found.name, " ", found.archived ? h("span", { class: "badge none" }, "finished") : null),
    h("p", { class: "lead" }, `${found.archived ? "Created" : "Running since"} ${moment(found.created)}, with ${found.settings.policy}.`),
    verdictCard(found),
    h("div", { class: "numbers" },
      [["decisions", found.decisions], ["decisions today (UTC)", found.today], ["outcomes", found.outcomes],
        ["outcomes pending", found.pending], ...(found.lift ? [["held out", found.held_out]] : []),
        ...(found.late ? [["came late", found.late]] : []), ...(found.conflicts ? [["contradict another", found.conflicts]] : [])]
        .map(([name, value]) => h("div", {}, h("b", {}, number(value)), h("span", {}, name)))),
    ...armsPart(found), ...sharesPart(found), ...liftPart(found), ...healthPart(found), ...refusedPart(found), ...whyPart(found), ...historyPart(found),
    ...finishPart(found),
  ];
}

// The verdict

const SIGNS = { better: ["good", "better"], worse: ["bad", "worse"], undecided: ["open", "undecided"] };
const rough = (value) => (value === null ? "?" : signed(+value.toPrecision(3)));
const percent = (part) => `${+(100 * part).toPrecision(3)}%`;
const signed = (value) => (value === null ? "?" : `${value > 0 ? "+" : value < 0 ? "−" : ""}${short(Math.abs(value))}`);
const losesLess = (found) => found.explanation.kind === "loss";
const unitOf = (found) => (losesLess(found) ? "loss" : found.explanation.kind || "outcome");

// The lift as a gain: positive is good, whether outcomes are rewards or losses.
function gainOf(found) {
  const { lift } = found;
  if (!lift || lift.difference === null) return null;
  const turned = (value) => (value === null ? null : -value);
  return losesLess(found) ? { mean: -lift.difference, low: turned(lift.high), high: turned(lift.low) }
    : { mean: lift.difference, low: lift.low, high: lift.high };
}

function leading(each) {
  if (each.leader === null) return "no outcomes yet";
  return each.sure ? `${each.leader} is best (95% confidence)` : `${each.leader} leads, undecided`;
}

function verdictCard(found) {
  const gain = gainOf(found);
  const parts = gain ? liftVerdict(found, gain) : leaderVerdict(found);
  const [kind, word] = parts.sign;
  return h("section", { class: `card verdict ${kind}`, "aria-label": "Verdict" },
    h("h2", {}, h("span", { class: `badge ${kind}` }, word), " ", parts.title),
    h("p", {}, parts.text), h("p", {}, h("b", {}, "Next: "), parts.next),
    h("p", { class: "hint" }, "Arms that look worse get few decisions, so that little is lost on them; their intervals stay wide for the same reason."));
}

function liftVerdict(found, gain) {
  const { lift, settings } = found;
  const sign = SIGNS[lift.verdict];
  const relative = lift.held_out > 0 ? ` (${signed(+(100 * gain.mean / lift.held_out).toPrecision(3))}%)` : "";
  const per = `${rough(gain.mean)} per decision${relative}`;
  const total = short(+Math.abs(gain.mean * lift.decided_count).toPrecision(3));
  const said = {
    better: `The policy does better than always ${settings.control}`,
    worse: `The policy does worse than always ${settings.control}`,
    undecided: `The policy may do better or worse than always ${settings.control}`,
  }[lift.verdict];
  const next = {
    better: found.sure ? `keep ${found.leader} and finish, or let it run: it goes on learning.` : "let it run; the best arm is not decided yet.",
    worse: `check that outcomes are reported with the right sign, and for all arms. If they are, ${found.leader === settings.control ? `keep ${settings.control} and finish` : `pause the arms whose intervals are worse than that of ${settings.control}`}.`,
    undecided: "let it run. You may look as often as you like; looking does not make the verdict less reliable.",
  }[lift.verdict];
  const text = `${per} relative to the ${number(lift.held_out_count)} held-out units, between ${rough(gain.low)} and ${rough(gain.high)} with ${100 * lift.confidence}% confidence at all times. `
    + `Over ${number(lift.decided_count)} outcomes this is about ${total} ${gain.mean < 0 ? "lost" : losesLess(found) ? "saved" : "gained"}.`;
  return { sign, title: said, text: losesLess(found) ? `As less ${unitOf(found)}: ${text}` : text, next };
}

function leaderVerdict(found) {
  if (found.leader === null) return { sign: ["none", "no outcomes yet"], title: "", text: "Decisions have been made, or will be; nothing is known about the arms yet.", next: "report outcomes." };
  if (found.sure) {
    return { sign: ["good", "decided"], title: `${found.leader} is the best arm`,
      text: `With ${100 * found.confidence}% confidence at all times, no other arm is better.`, next: `keep ${found.leader} and finish, or let it run.` };
  }
  return { sign: SIGNS.undecided, title: `${found.leader} leads`, text: `Another arm may still be better, at ${100 * found.confidence}% confidence.`,
    next: found.settings.control ? "let it run." : "let it run. A holdout would show how much the policy gains over one fixed arm." };
}

// Arms

// Every arm there ever was, in the order of its first appearance: an arm keeps its colour.
function everArms(found) {
  const names = [...found.settings.arms];
  for (const each of found.history) if (each.event === "arm changed" && !names.includes(each.arm)) names.push(each.arm);
  for (const name of found.arms) if (!names.includes(name)) names.push(name);
  return names;
}

const styleOf = (found, arm) => STYLES[Math.max(0, everArms(found).indexOf(arm)) % STYLES.length];

function swatch(found, arm) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("viewBox", "0 0 20 10");
  svg.setAttribute("aria-hidden", "true");
  const { colour, dashes } = styleOf(found, arm);
  make(svg, "line", { x1: 0, x2: 20, y1: 5, y2: 5, "stroke-width": 3, style: `stroke:var(${colour})`, ...(dashes.length ? { "stroke-dasharray": dashes.join(" ") } : {}) });
  return svg;
}

function sorted(found) {
  const sign = losesLess(found) ? 1 : -1;
  const rank = (arm) => [arm.arm === found.leader ? 0 : arm.paused ? 2 : 1, arm.mean === null ? Infinity : sign * arm.mean];
  return [...found.explanation.arms].sort((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1] || b.count - a.count);
}

// The scale of all intervals. A value that is absurdly far from all others is left outside of it.
function scaleOf(values) {
  const middle = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const centre = middle(values);
  const reach = 20 * middle(values.map((value) => Math.abs(value - centre)));
  return reach > 0 && high - low > 2 * reach ? [Math.max(low, centre - reach), Math.min(high, centre + reach)] : [low, high];
}

function armsPart(found) {
  const ends = new Map(found.intervals.map((each) => [each.arm, each]));
  const arms = sorted(found);
  const seen = arms.filter((arm) => arm.count > 0);
  const known = seen.flatMap((arm) => [arm.mean, ends.get(arm.arm).low, ends.get(arm.arm).high]).filter((value) => value !== null);
  const range = known.length ? scaleOf(known) : [0, 1];
  const total = Math.max(1, found.outcomes);
  const control = found.explanation.arms.find((arm) => arm.arm === found.settings.control);
  const all = opened.has(`${found.name} arms`);
  const rows = (all ? arms : arms.slice(0, FEW)).map((arm) => {
    const { low, high } = ends.get(arm.arm);
    const cells = [
      h("span", {}, swatch(found, arm.arm), ` ${arm.arm} `, badge(found, arm)),
      short(arm.mean), interval(low, high, arm.mean, range), low === null && high === null ? "not known yet" : `${low === null ? "−∞" : short(low)} to ${high === null ? "∞" : short(high)}`,
    ];
    if (control) cells.push(against(found, arm, control));
    cells.push(number(arm.count), percent(arm.count / total), number(arm.pending));
    if (may("admin")) cells.push(armMenu(found, arm));
    return cells;
  });
  const head = ["arm", `mean ${unitOf(found)}`, `${100 * found.confidence}% interval`, "from, to"];
  if (control) head.push(`lift over ${control.arm}`);
  head.push("outcomes", "share", "pending");
  if (may("admin")) head.push("change");
  const parts = [h("h2", {}, "Arms"), table(head, rows, "Arms"), ...removedArms(found)];
  if (arms.length > FEW) parts.push(h("p", {}, h("button", { type: "button", "data-key": "all arms", onclick: () => turn(`${found.name} arms`) }, all ? `Show the first ${FEW}` : `Show all ${arms.length} arms`)));
  parts.push(h("p", { class: "hint" }, "All intervals hold together and at all times, and are drawn on one scale; an arrow points to what lies outside. "),
    h("p", {}, h("button", { type: "button", onclick: () => saveArms(found, ends) }, "Save as CSV")));
  if (may("admin")) parts.push(addForm(found));
  return parts;
}

function turn(part) {
  if (!opened.delete(part)) opened.add(part);
  shown.version = null;
  look();
}

function badge(found, arm) {
  if (arm.paused) return h("span", { class: "badge none" }, "paused");
  if (arm.arm === found.leader) return h("span", { class: `badge ${found.sure ? "good" : "open"}` }, found.sure ? "best" : "leads");
  return arm.arm === found.settings.control ? h("span", { class: "badge none" }, "control") : null;
}

function against(found, arm, control) {
  if (arm === control || arm.mean === null || control.mean === null) return "–";
  const gain = (losesLess(found) ? -1 : 1) * (arm.mean - control.mean);
  return control.mean > 0 ? `${signed(+(100 * gain / control.mean).toPrecision(3))}%` : signed(gain);
}

function removedArms(found) {
  const gone = everArms(found).filter((arm) => !found.explanation.arms.some((each) => each.arm === arm));
  if (!gone.length) return [];
  const said = gone.map((arm) => `${arm} (${number(found.shares.reduce((sum, share) => sum + countOf(share, arm), 0))} decisions)`);
  return [h("p", { class: "hint" }, `Removed: ${said.join(", ")}.`)];
}

function saveArms(found, ends) {
  const quote = (cell) => `"${String(cell ?? "").replaceAll('"', '""')}"`;
  const rows = [["arm", "mean", "low", "high", "confidence", "outcomes", "pending", "paused"],
    ...sorted(found).map((arm) => [arm.arm, arm.mean, ends.get(arm.arm).low, ends.get(arm.arm).high, found.confidence, arm.count, arm.pending, arm.paused])];
  const link = h("a", { download: `${found.name}.csv`, href: URL.createObjectURL(new Blob([rows.map((row) => row.map(quote).join(",")).join("\n")], { type: "text/csv" })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

function interval(low, high, mean, [from, to], zero) {
  const width = to > from ? to - from : 1;
  const at = (value, edge) => `${Math.min(100, Math.max(0, 100 * ((value === null ? edge : value) - from) / width))}%`;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "interval");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `mean ${short(mean)}, between ${short(low)} and ${short(high)}`);
  make(svg, "line", { class: "whole", x1: "0%", x2: "100%", y1: "50%", y2: "50%" });
  if (zero) make(svg, "line", { class: "zero", x1: at(0, 0), x2: at(0, 0), y1: "0%", y2: "100%" });
  if (mean !== null) {
    if (low !== null || high !== null) make(svg, "line", { class: "reach", x1: at(low, from), x2: at(high, to), y1: "50%", y2: "50%" });
    if (mean >= from && mean <= to) make(svg, "circle", { class: "mean", cx: at(mean, from), cy: "50%", r: 4.5 });
    else make(svg, "text", { class: "beyond", x: mean > to ? "100%" : "0%", y: "50%", dy: ".35em", "text-anchor": mean > to ? "end" : "start" }, mean > to ? "▶" : "◀");
  }
  return svg;
}

function armMenu(found, arm) {
  const act = (change, text) => h("button", { type: "button", "data-key": `${change} ${arm.arm}`, "aria-label": `${text} ${arm.arm}`,
    class: change === "remove" ? "danger" : null, onclick: () => changeArm(found, arm.arm, change) }, text);
  const key = `${found.name} menu ${arm.arm}`;
  return h("details", { class: "menu", open: opened.has(key), ontoggle: (event) => (event.target.open ? opened.add(key) : opened.delete(key)) }, h("summary", { "data-key": `menu ${arm.arm}`, "aria-label": `Change ${arm.arm}` }, "…"),
    h("span", { class: "acts" }, act(arm.paused ? "resume" : "pause", arm.paused ? "Resume" : "Pause"), act("remove", "Remove")));
}

function addForm(found) {
  const field = h("input", { "aria-label": "Name of a new arm", placeholder: "name of a new arm", maxlength: "512", required: true, "data-key": "new arm" });
  return h("form", { class: "add", onsubmit: (event) => {
    event.preventDefault();
    changeArm(found, field.value, "add").then((done) => { if (done) { field.value = ""; look(); } });
  } }, field, h("button", { class: "main", "data-key": "add arm" }, "Add"));
}

async function changeArm(found, arm, change) {
  if (change === "remove" && !await sure(`Remove ${arm}?`, "All that is known of it is lost, and outcomes that come later do not count. This cannot be undone.", "Remove")) return false;
  opened.delete(`${found.name} menu ${arm}`);
  return act(() => ask("POST", `v1/experiments/${encodeURIComponent(found.name)}/arms`, { arm, change }));
}

// Shares

function sharesPart(found) {
  if (found.shares.length < 2) {
    return [h("h2", {}, "Share of decisions"), h("p", { class: "hint" }, "The chart appears once decisions span more than one minute.")];
  }
  const total = (arm) => found.shares.reduce((sum, share) => sum + countOf(share, arm), 0);
  const arms = everArms(found).filter((arm) => total(arm) > 0);
  const most = [...arms].sort((a, b) => total(b) - total(a)).slice(0, 9);
  const curves = most.map((arm) => ({
    name: String(arm), ...styleOf(found, arm),
    mean: found.shares.map((share) => countOf(share, arm) / share.counts.reduce((sum, [, count]) => sum + count, 0)),
  }));
  const data = { key: "shares", title: "Share of decisions", unit: `time (${zone()})`, measure: "share", marks: [], log: false, time: true, top: 1,
    steps: found.shares.map((share) => share.start / 1000), curves };
  const holder = h("figure", { class: "chart" }, h("figcaption", {}, "Share of decisions over time"), h("div", { class: "tools" }),
    h("div", { class: "plot", tabindex: "0", role: "group", "aria-label": "Share of decisions over time; arrow keys move in time", "data-key": "shares" }),
    h("div", { class: "legend" }, h("span", { class: "when" })), h("script", { type: "application/json" }, JSON.stringify(data)));
  queueMicrotask(() => new Figure(holder));
  const more = arms.length > most.length ? [h("p", { class: "hint" }, `The ${most.length} arms with the most decisions, of ${arms.length}.`)] : [];
  return [h("h2", {}, "Share of decisions"), holder, ...more];
}

const countOf = (share, arm) => (share.counts.find(([other]) => other === arm) || [0, 0])[1];

// The holdout

function liftPart(found) {
  const { lift, settings } = found;
  if (!lift) return [];
  const gain = gainOf(found);
  const ends = gain ? Math.max(Math.abs(gain.low ?? gain.mean), Math.abs(gain.high ?? gain.mean), 1e-12) : 1;
  const rows = [["decided by the policy", number(lift.decided_count), short(lift.decided)],
    [`held out: always ${settings.control}`, number(lift.held_out_count), short(lift.held_out)]];
  return [
    h("h2", {}, "Holdout"),
    gain ? h("div", { class: "card" }, h("p", { class: "hint" }, `Lift per decision: ${rough(gain.mean)}, between ${rough(gain.low)} and ${rough(gain.high)}. The vertical line is zero; right of it is better.`),
      interval(gain.low, gain.high, gain.mean, [-ends, ends], true)) : h("p", {}, "There are no outcomes of both groups yet."),
    table(["units", "outcomes", "mean"], rows, "Holdout and the rest"),
  ];
}

// Health

function healthPart(found) {
  const rows = [["last change or outcome", moment(found.changed)], ["outcomes pending", number(found.pending)],
    ["decisions without an outcome so far", percent(Math.max(0, 1 - found.outcomes / Math.max(1, found.decisions)))]];
  const { holdout } = found.settings;
  const made = found.decisions + (found.held_out || 0);
  if (holdout > 0 && made > 0) {
    const away = (found.held_out - holdout * made) / Math.sqrt(holdout * (1 - holdout) * made);
    const said = Math.abs(away) > 4 ? "check: further off than chance explains, unless the holdout was changed or a few units return often" : "as chance explains";
    rows.push(["held out", `${percent(found.held_out / made)} of decisions, ${percent(holdout)} wanted: ${said}`]);
  }
  return [h("h2", {}, "Health"), table(["check", "finding"], rows, "Health")];
}

function refusedPart(found) {
  if (!found.refused.length) return [];
  const words = { late: "came late", conflict: "contradicts another" };
  const rows = [...found.refused].reverse().map((each) => [moment(each.time), words[each.answer], short(each.value), each.decision]);
  return [h("h2", {}, "Outcomes not recorded"), table(["when", "why", "value", "decision"], rows, "Outcomes not recorded"),
    h("p", { class: "hint" }, "The last 20. They came after their decision was given up, or after another value for it.")];
}

// A closer look

function folded(found, title, ...content) {
  const key = `${found.name} ${title}`;
  return h("details", { class: "fold", open: opened.has(key), ontoggle: (event) => (event.target.open ? opened.add(key) : opened.delete(key)) },
    h("summary", { "data-key": title }, h("h2", {}, title)), ...content);
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
  const text = explanation.winners.length === 0 ? `${explanation.policy} does not use an index.`
    : `${tied ? `One of ${who}` : who} would be chosen next: ${explanation.policy} takes the ${explanation.best} index${tied ? ", ties at random" : ""}.`;
  const heads = Array.from({ length: batches }, (_, i) => `batch ${i + 1} (size)`);
  return [folded(found, "Why the next arm", h("p", {}, text), table(["arm", "index", ...heads], rows, "Index and bids of each arm"))];
}

function historyPart(found) {
  const rows = [...found.history].reverse().map((each) => [moment(each.time), said(each), each.actor || "–"]);
  return [folded(found, "History of changes", table(["when", "what", "by"], rows, "History of changes"))];
}

function said(each) {
  if (each.event === "arm changed") return `${each.change} ${each.arm}`;
  if (each.event === "settings changed") return Object.entries(each.settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(", ");
  if (each.event === "archived") return each.archived ? "finished" : "resumed";
  return each.event;
}

function finishPart(found) {
  if (!may("admin")) return [];
  const path = `v1/experiments/${encodeURIComponent(found.name)}`;
  const change = async () => {
    if (!found.archived && !await sure(`Finish ${found.name}?`, "It makes no more decisions. Outcomes of earlier ones still count, and you can resume it later.", "Finish")) return;
    await act(() => ask("PATCH", path, { archived: !found.archived }));
  };
  return [h("p", { class: "finish" }, h("button", { type: "button", "data-key": "finish", class: found.archived ? null : "danger", onclick: change }, found.archived ? "Resume this experiment" : "Finish this experiment"))];
}
