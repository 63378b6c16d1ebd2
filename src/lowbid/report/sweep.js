// A sweep on the page: a heat map whose cells open curves, regret against a parameter, downloads.
// Uses make, show, ticks and Figure of page.js.
"use strict";

const PALETTE = ["0072b2", "d55e00", "009e73", "cc79a7", "e69f00", "56b4e9", "000000", "7a7a7a"];
const STROKES = [[], [5, 1.6], [1.2, 1.4], [6, 1.5, 1.2, 1.5], [9, 2.5]];
const MOST_CURVES = 8;
const MOST_LINES = 12;
// A table of more cells than this takes a browser seconds to lay out.
const PAGE = { policies: 60, environments: 40 };

function element(parent, tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.appendChild(made);
  return made;
}

function choice(parent, label, options, act) {
  const holder = element(parent, "label", `${label} `);
  const select = element(holder, "select");
  options.forEach(([value, text]) => element(select, "option", text, { value }));
  select.addEventListener("change", () => act(select.value));
  return select;
}

class Sweep {
  constructor(holder) {
    this.holder = holder;
    this.data = JSON.parse(holder.querySelector("script").textContent);
    this.unpack();
    this.page = { policies: 0, environments: 0 };
    this.buildHeat();
    this.buildParameter();
    this.buildDownloads();
  }

  // The data come by columns, which are short; rows are easier to work with.
  unpack() {
    const columns = Object.entries(this.data.rows);
    this.rows = this.data.rows.policy.map((_, i) => Object.fromEntries(columns.map(([name, values]) => [name, values[i]])));
    this.ofPolicy = this.data.policies.map(() => []);
    this.at = new Map();
    for (const row of this.rows) {
      this.ofPolicy[row.policy].push(row);
      if (row.ratio === null) continue;
      const key = `${row.policy} ${row.environment} ${row.step}`;
      if (!this.at.has(key)) this.at.set(key, []);
      this.at.get(key).push(row);
    }
  }

  buildHeat() {
    const steps = [...new Set(this.rows.map((row) => row.step))].sort((a, b) => a - b);
    const tools = this.holder.querySelector(".heat-tools");
    const compared = new Set(this.rows.filter((row) => row.ratio !== null).map((row) => row.step));
    this.step = steps.findLast((step) => compared.has(step)) ?? steps[steps.length - 1];
    const select = choice(tools, "after", steps.map((s) => [s, `${s.toLocaleString("en")} steps`]),
      (value) => { this.step = Number(value); this.page = { policies: 0, environments: 0 }; this.drawHeat(); });
    select.value = this.step;
    this.turners = element(tools, "span", null, { class: "turners" });
    this.drawHeat();
  }

  // The part of a long list that is shown, with buttons that turn to the others.
  shown(what, all) {
    const size = PAGE[what], from = this.page[what] * size, part = all.slice(from, from + size);
    if (all.length <= size) return part;
    const holder = element(this.turners, "span", null, { class: "turner" });
    const turn = (by, sign, label, off) => {
      const button = element(holder, "button", sign, { type: "button", "aria-label": `${label} ${what}` });
      button.disabled = off;
      button.addEventListener("click", () => { this.page[what] += by; this.drawHeat(); });
    };
    turn(-1, "‹", "previous", from === 0);
    const n = (v) => v.toLocaleString("en");
    element(holder, "span", ` ${what} ${n(from + 1)} to ${n(from + part.length)} of ${n(all.length)} `);
    turn(1, "›", "next", from + size >= all.length);
    return part;
  }

  ratio(policy, environment) {
    const found = this.at.get(`${policy} ${environment} ${this.step}`) ?? [];
    if (!found.length) return null;
    return Math.exp(found.reduce((sum, row) => sum + Math.log(row.ratio), 0) / found.length);
  }

  drawHeat() {
    const holder = this.holder.querySelector(".heat");
    holder.replaceChildren();
    this.turners.replaceChildren();
    const here = this.rows.filter((row) => row.step === this.step);
    const there = new Set(here.map((row) => row.environment)), playing = new Set(here.map((row) => row.policy));
    const environments = this.shown("environments", this.data.environments.map((e, i) => [e, i]).filter(([, i]) => there.has(i)));
    const policies = this.shown("policies", this.data.order.filter((p) => playing.has(p)));
    const table = element(holder, "table");
    const head = element(element(table, "thead"), "tr");
    element(head, "th", "policy");
    for (const [environment] of environments) element(head, "th", environment.name, { title: environment.title });
    const body = element(table, "tbody");
    const values = policies.map((p) => environments.map(([, e]) => this.ratio(p, e)));
    const top = here.reduce((most, row) => Math.max(most, Math.log(row.ratio ?? 1)), Math.log(3));
    policies.forEach((policy, i) => {
      if (values[i].every((value) => value === null)) return;
      const row = element(body, "tr");
      element(row, "th", this.data.policies[policy].name, { title: this.data.policies[policy].name });
      environments.forEach(([environment, e], j) => {
        const value = values[i][j], cell = element(row, "td");
        if (value === null) return;
        const part = Math.round(92 * Math.log(Math.max(value, 1)) / top);
        const text = value < 99.5 ? value.toFixed(1) : value.toFixed(0);
        const button = element(cell, "button", text, {
          type: "button", style: `--part:${part}`, "data-strong": part > 55 ? "1" : "0", "aria-pressed": "false",
          "aria-label": `${this.data.policies[policy].name} on ${environment.name}: ${text} times the lowest`,
        });
        button.addEventListener("click", () => this.open(policy, e, button));
      });
    });
  }

  open(policy, environment, button) {
    for (const other of this.holder.querySelectorAll(".heat button")) other.setAttribute("aria-pressed", other === button);
    const holder = this.holder.querySelector(".cell-curves");
    holder.replaceChildren();
    const all = this.data.curves.filter((c) => c.environment === environment && c.horizon >= this.step);
    const horizon = Math.min(...all.filter((c) => c.policy === policy).map((c) => c.horizon));
    const known = new Map(all.filter((c) => c.horizon === horizon).map((c) => [c.policy, c]));
    if (!known.has(policy)) {
      element(holder, "p", "The curves of this cell are not in the page; they are in the files beside it.");
      return;
    }
    const shown = [...new Set([policy, ...this.data.order.filter((p) => known.has(p))])].slice(0, MOST_CURVES);
    const title = `${this.data.policies[policy].name} on ${this.data.environments[environment].title}`;
    const chart = element(holder, "figure", null, { class: "chart", id: `curves-${this.data.name}` });
    element(chart, "figcaption", title);
    element(chart, "div", null, { class: "tools" });
    element(chart, "div", null, { class: "plot", tabindex: "0", role: "group", "aria-label": `${title}; arrow keys move the step` });
    element(element(chart, "div", null, { class: "legend" }), "span", null, { class: "when" });
    const curves = shown.map((p, i) => ({
      name: this.data.policies[p].name, colour: `--c${PALETTE[i % PALETTE.length]}`, dashes: STROKES[i % STROKES.length],
      mean: known.get(p).mean, low: known.get(p).low, high: known.get(p).high,
    })).sort((a, b) => b.mean[b.mean.length - 1] - a.mean[a.mean.length - 1]);
    const data = { key: `curves-${this.data.name}`, title, log: true, unit: "step", steps: known.get(policy).steps, curves, marks: [] };
    element(chart, "script", JSON.stringify(data), { type: "application/json" });
    new Figure(chart);
    if (known.size > shown.length) element(holder, "p", `The chosen policy and the best others are drawn: ${shown.length} of ${known.size}.`, { class: "note" });
  }

  parameters() {
    const found = new Map();
    for (const policy of this.data.policies) {
      for (const [name, value] of Object.entries(policy.settings)) {
        if (typeof value !== "number") continue;
        const key = `${policy.rule}\u0000${name}`;
        if (!found.has(key)) found.set(key, { rule: policy.rule, name, values: new Set() });
        found.get(key).values.add(value);
      }
    }
    return [...found.values()].filter((each) => each.values.size > 1);
  }

  buildParameter() {
    this.axes = this.parameters();
    const plot = this.holder.querySelector(".parameter-plot");
    if (!this.axes.length) {
      plot.textContent = "No policy has a parameter with several numbers.";
      return;
    }
    this.axis = 0;
    this.where = "all";
    const tools = this.holder.querySelector(".parameter-tools");
    choice(tools, "parameter", this.axes.map((a, i) => [i, `${a.rule}: ${a.name}`]), (v) => { this.axis = Number(v); this.drawParameter(); });
    choice(tools, "on", [["all", "all environments (score)"], ...this.data.environments.map((e, i) => [i, e.name])],
      (v) => { this.where = v; this.drawParameter(); });
    new ResizeObserver(() => this.drawParameter()).observe(plot);
  }

  points() {
    const { rule, name } = this.axes[this.axis];
    const lines = new Map();
    this.data.policies.forEach((policy, p) => {
      const x = policy.settings[name];
      if (policy.rule !== rule || typeof x !== "number") return;
      const rest = Object.entries(policy.settings).filter(([key]) => key !== name).map(([k, v]) => `${k}=${v}`).join(", ") || rule;
      const rows = this.ofPolicy[p].filter((row) => (this.where === "all" ? row.ratio !== null : row.environment === Number(this.where)));
      if (!rows.length) return;
      let point;
      if (this.where === "all") {
        point = { x, y: Math.exp(rows.reduce((s, row) => s + Math.log(row.ratio), 0) / rows.length) };
      } else {
        const step = Math.max(...rows.map((row) => row.step));
        const row = rows.find((each) => each.step === step);
        point = { x, y: row.mean, low: row.low, high: row.high };
      }
      if (!lines.has(rest)) lines.set(rest, []);
      lines.get(rest).push(point);
    });
    for (const points of lines.values()) points.sort((a, b) => a.x - b.x);
    const lowest = ([, points]) => points.reduce((least, p) => Math.min(least, p.y), Infinity);
    this.allLines = lines.size;
    return lines.size > MOST_LINES ? new Map([...lines].sort((a, b) => lowest(a) - lowest(b)).slice(0, MOST_LINES)) : lines;
  }

  drawParameter() {
    const plot = this.holder.querySelector(".parameter-plot");
    const width = Math.max(plot.clientWidth - 20, 220), height = Math.round(Math.min(Math.max(width * 0.5, 220), 360));
    if (this.drawnWidth === width && this.drawn === `${this.axis} ${this.where}`) return;
    this.drawnWidth = width;
    this.drawn = `${this.axis} ${this.where}`;
    plot.replaceChildren();
    const lines = this.points(), all = [...lines.values()].flat();
    if (!all.length) { plot.textContent = "Nothing is finished here yet."; return; }
    const xs = all.map((p) => p.x), highs = all.map((p) => p.high ?? p.y), lows = all.map((p) => Math.max(p.low ?? p.y, 1e-9));
    const x0 = Math.min(...xs), x1 = Math.max(...xs), y0 = Math.max(Math.min(...lows, ...all.map((p) => p.y)), Math.max(...highs) / 1e5) / 1.1, y1 = Math.max(...highs) * 1.1;
    const logX = x0 > 0 && x1 / x0 >= 20, f = logX ? Math.log : (v) => v;
    const box = { left: 52, right: width - 14, top: 10, bottom: height - 40 };
    const X = (v) => box.left + 10 + (box.right - box.left - 20) * (f(v) - f(x0)) / (f(x1) - f(x0));
    const Y = (v) => box.bottom - (box.bottom - box.top) * (Math.log(Math.max(v, y0)) - Math.log(y0)) / (Math.log(y1) - Math.log(y0));
    const svg = make(plot, "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `against ${this.axes[this.axis].name}` });
    let marks = ticks(y0, y1, 5, true);
    if (marks.length < 2) marks = ticks(y0, y1, 4, false);
    for (const t of marks) {
      make(svg, "line", { class: "grid", x1: box.left, x2: box.right, y1: Y(t), y2: Y(t) });
      make(svg, "text", { class: "tick", x: box.left - 6, y: Y(t) + 4, "text-anchor": "end" }, String(+t.toPrecision(3)));
    }
    let last = -Infinity;
    for (const t of [...new Set(xs)].sort((a, b) => a - b)) {
      if (X(t) - last < 34) continue;
      last = X(t);
      make(svg, "text", { class: "tick", x: X(t), y: box.bottom + 16, "text-anchor": "middle" }, String(+t.toPrecision(4)));
    }
    make(svg, "line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom });
    make(svg, "text", { class: "title", x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle" }, this.axes[this.axis].name);
    const middle = (box.top + box.bottom) / 2;
    make(svg, "text", { class: "title", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` },
      this.where === "all" ? "regret over the lowest" : "mean regret");
    const key = element(plot, "ul", null, { class: "key" });
    [...lines].forEach(([label, points], i) => {
      const colour = `var(--c${PALETTE[i % PALETTE.length]})`, dash = STROKES[i % STROKES.length].map((d) => 2 * d).join(" ");
      const path = points.map((p, j) => `${j ? "L" : "M"}${X(p.x).toFixed(1)} ${Y(p.y).toFixed(1)}`).join("");
      make(svg, "path", { d: path, class: "curve", fill: "none", style: `stroke:${colour}`, "stroke-width": 2, ...(dash ? { "stroke-dasharray": dash } : {}) });
      for (const p of points) {
        if (p.low !== undefined && p.low !== null) make(svg, "line", { class: "whisker", style: `stroke:${colour}`, x1: X(p.x), x2: X(p.x), y1: Y(p.low), y2: Y(p.high) });
        make(make(svg, "circle", { class: "dot", cx: X(p.x), cy: Y(p.y), r: 4, style: `fill:${colour}` }), "title", {}, `${label}, ${p.x}: ${show(p.y)}`);
      }
      const item = element(key, "li");
      element(item, "span", null, { style: `background:${colour}` });
      item.append(label);
    });
    if (this.allLines > lines.size) element(key, "li", `The ${lines.size} lines that reach lowest, of ${this.allLines}.`);
  }

  buildDownloads() {
    const holder = this.holder.querySelector(".downloads");
    const save = (text, name, type) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    };
    const { csv, ...rest } = this.data, lines = `(${this.rows.length.toLocaleString("en")} rows)`;
    if (csv) {
      element(holder, "button", `table as CSV ${lines}`, { type: "button" })
        .addEventListener("click", () => save(csv, `${this.data.name}.csv`, "text/csv"));
    } else {
      element(holder, "a", `table.csv ${lines}`, { href: "table.csv" });
      holder.append(", beside this page, has every figure;");
    }
    holder.append(" ");
    element(holder, "button", "everything as JSON", { type: "button" })
      .addEventListener("click", () => save(JSON.stringify(rest), `${this.data.name}.json`, "application/json"));
  }
}

for (const holder of document.querySelectorAll(".sweep")) new Sweep(holder);
