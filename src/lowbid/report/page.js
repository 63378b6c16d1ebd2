// Draws the figures of a lowbid report. Every figure's data stand in the page as JSON; the values
// beside the names follow the pointer, names switch curves off and on, dragging zooms.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function make(parent, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

function show(value) {
  if (value === null || value === undefined) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  return value.toFixed(size >= 10 ? 1 : 2);
}

function ticks(low, high, count, log) {
  if (log) {
    const found = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++) {
      for (const digit of [1, 2, 5]) found.push(digit * 10 ** e);
    }
    const inside = found.filter((t) => t >= low && t <= high);
    const tens = inside.filter((t) => /^1/.test(t.toExponential()));
    return tens.length >= 3 ? tens : inside;
  }
  const rough = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * unit).find((s) => s >= rough);
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) found.push(t);
  return found;
}

// Whole minutes, hours or days of the reader's clock.
function timeTicks(low, high, count) {
  const minute = 60e3;
  const lengths = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080, 20160, 43200];
  const most = lengths.find((minutes) => (high - low) / (minutes * minute) <= count);
  const step = (most || 43200 * Math.ceil((high - low) / (43200 * minute * count))) * minute;
  const shift = new Date(low).getTimezoneOffset() * minute;
  const found = [];
  for (let t = Math.ceil((low - shift) / step) * step + shift; t <= high; t += step) found.push(t);
  return found;
}

function nearest(steps, wanted) {
  let low = 0, high = steps.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (steps[middle] < wanted) low = middle; else high = middle;
  }
  return wanted - steps[low] <= steps[high] - wanted ? low : high;
}

class Figure {
  constructor(holder) {
    this.holder = holder;
    this.data = JSON.parse(holder.querySelector("script").textContent);
    this.hidden = new Set();
    this.log = this.data.log;
    this.bands = true;
    this.at = null;
    this.range = null;
    this.build();
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  build() {
    const bar = this.holder.querySelector(".tools");
    if (!this.data.time) {
      this.button(bar, "log axes", this.log, (on) => { this.log = on; this.range = null; });
      this.button(bar, "95% bands", true, (on) => { this.bands = on; });
    }
    this.reset = this.button(bar, "whole range", null, () => { this.range = null; });
    this.plot = this.holder.querySelector(".plot");
    this.legend = this.holder.querySelector(".legend");
    this.when = this.legend.querySelector(".when");
    this.entries = this.data.curves.map((curve, i) => this.entry(curve, i));
    this.plot.addEventListener("pointermove", (event) => this.move(event));
    this.plot.addEventListener("pointerleave", () => { this.at = null; this.point(); });
    this.plot.addEventListener("pointerdown", (event) => this.press(event));
    this.plot.addEventListener("pointerup", (event) => this.release(event));
    this.plot.addEventListener("pointercancel", () => { this.from = null; this.draw(); });
    this.plot.addEventListener("dblclick", () => { this.range = null; this.draw(); });
    this.plot.addEventListener("keydown", (event) => this.key(event));
  }

  button(bar, text, pressed, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    if (pressed !== null) button.setAttribute("aria-pressed", pressed);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      if (pressed !== null) button.setAttribute("aria-pressed", on);
      act(on);
      this.draw();
    });
    bar.appendChild(button);
    return button;
  }

  entry(curve, number) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    const swatch = make(button, "svg", { viewBox: "0 0 36 10", class: "swatch", "aria-hidden": "true" });
    make(swatch, "line", { x1: 1, x2: 35, y1: 5, y2: 5, ...this.stroke(curve) });
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = curve.name;
    const value = document.createElement("span");
    value.className = "value";
    button.append(name, value);
    button.addEventListener("click", () => {
      if (!this.hidden.delete(number)) this.hidden.add(number);
      button.setAttribute("aria-pressed", !this.hidden.has(number));
      this.draw();
    });
    this.legend.appendChild(button);
    return value;
  }

  stroke(curve) {
    const width = curve.low ? 2 : 1.2;
    const dash = curve.dashes.map((length) => length * width).join(" ");
    return {
      class: "curve", style: `stroke:var(${curve.colour})`, "stroke-width": width,
      ...(dash ? { "stroke-dasharray": dash } : {}),
    };
  }

  shown() {
    return this.data.curves.filter((_, i) => !this.hidden.has(i));
  }

  scales(width, height) {
    const { steps } = this.data;
    const first = this.data.time ? steps[0] : this.log ? Math.max(1, steps.find((s) => s >= 1)) : 0;
    const [x0, x1] = this.range || [first, steps[steps.length - 1]];
    let y0 = Infinity, y1 = 0;
    for (const curve of this.shown()) {
      const top = this.bands && curve.high ? curve.high : curve.mean;
      steps.forEach((step, i) => {
        if (step < x0 || step > x1) return;
        if (top[i] !== null) y1 = Math.max(y1, top[i]);
        if (curve.mean[i] > 0) y0 = Math.min(y0, curve.mean[i]);
      });
    }
    if (this.data.top) y1 = this.data.top;
    if (!(y1 > 0)) y1 = 1;
    if (this.log) { y0 = Math.max(Math.min(y0, y1 / 10), y1 / 1e5); y1 *= 1.15; } else { y0 = 0; y1 *= 1.04; }
    const narrow = width < 480;
    const box = { left: narrow ? 50 : 58, right: 14, top: 10, bottom: 40, width, height };
    const f = this.log ? Math.log10 : (v) => v;
    const inner = width - box.left - box.right, tall = height - box.top - box.bottom;
    return {
      box, x0, x1, y0, y1,
      x: (v) => box.left + inner * (f(v) - f(x0)) / (f(x1) - f(x0)),
      y: (v) => box.top + tall * (1 - (f(this.log ? Math.max(v, y0 / 1e3) : v) - f(y0)) / (f(y1) - f(y0))),
      step: (px) => {
        const part = Math.min(Math.max((px - box.left) / inner, 0), 1);
        const value = f(x0) + part * (f(x1) - f(x0));
        return this.log ? 10 ** value : value;
      },
    };
  }

  draw() {
    const width = Math.max(this.plot.clientWidth, 200);
    const height = Math.round(Math.min(Math.max(width * 0.56, 240), 430));
    const s = this.scale = this.scales(width, height);
    this.plot.replaceChildren();
    const svg = this.svg = make(this.plot, "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": this.data.title });
    const clip = `clip-${this.data.key}`;
    const box = { x: s.box.left, y: s.box.top, width: width - s.box.left - s.box.right, height: height - s.box.top - s.box.bottom };
    make(make(make(svg, "defs", {}), "clipPath", { id: clip }), "rect", box);
    this.axes(svg, s, box);
    const inside = make(svg, "g", { "clip-path": `url(#${clip})` });
    for (const mark of this.data.marks) {
      for (const step of mark.steps) {
        if (step < s.x0 || step > s.x1) continue;
        const line = make(inside, "line", { class: "mark", x1: s.x(step), x2: s.x(step), y1: box.y, y2: box.y + box.height });
        make(line, "title", {}, `${mark.text}: ${this.data.unit} ${step}`);
      }
    }
    for (const curve of this.shown()) if (this.bands && curve.low) this.band(inside, curve, s);
    for (const curve of this.shown()) make(inside, "path", { d: this.path(curve.mean, s), fill: "none", ...this.stroke(curve) });
    this.cursor = make(svg, "g", { class: "cursor" });
    this.reset.hidden = !this.range;
    this.point();
  }

  axes(svg, s, box) {
    const bottom = box.y + box.height, right = box.x + box.width;
    for (const t of ticks(s.y0, s.y1, 5, this.log)) {
      make(svg, "line", { class: "grid", x1: box.x, x2: right, y1: s.y(t), y2: s.y(t) });
      make(svg, "text", { class: "tick", x: box.x - 6, y: s.y(t) + 4, "text-anchor": "end" }, this.label(t));
    }
    const most = Math.max(3, Math.floor(box.width / 110));
    for (const t of this.data.time ? timeTicks(s.x0, s.x1, most) : ticks(s.x0, s.x1, most, this.log)) {
      const edge = s.x(t) > right - 14;
      make(svg, "text", { class: "tick", x: edge ? right : s.x(t), y: bottom + 16, "text-anchor": edge ? "end" : "middle" }, this.data.time ? this.moment(t, s) : this.label(t));
    }
    make(svg, "line", { class: "axis", x1: box.x, x2: right, y1: bottom, y2: bottom });
    make(svg, "text", { class: "title", x: box.x + box.width / 2, y: bottom + 33, "text-anchor": "middle" }, this.data.unit);
    const y = box.y + box.height / 2;
    make(svg, "text", { class: "title", x: 12, y, "text-anchor": "middle", transform: `rotate(-90 12 ${y})` }, this.data.measure);
  }

  label(value) {
    if (value >= 1e4) return `${+(value / 1000).toPrecision(4)}k`;
    return String(+value.toPrecision(4));
  }

  moment(time, s) {
    const days = s.x1 - s.x0 > 2 * 86400e3;
    return new Date(time).toLocaleString(undefined, days ? { month: "short", day: "numeric" } : { hour: "2-digit", minute: "2-digit" });
  }

  path(values, s) {
    let d = "";
    let last = null;
    values.forEach((value, i) => {
      const step = this.data.steps[i];
      if (value === null) { last = null; return; }
      if (this.log && !(value > 0)) { last = null; return; }
      d += `${last === null ? "M" : "L"}${s.x(step).toFixed(1)} ${s.y(value).toFixed(1)}`;
      last = value;
    });
    return d;
  }

  band(parent, curve, s) {
    const { steps } = this.data;
    const there = steps.map((_, i) => i).filter((i) => curve.mean[i] > 0 || !this.log);
    const up = there.map((i) => `${s.x(steps[i]).toFixed(1)} ${s.y(curve.high[i]).toFixed(1)}`);
    const down = there.map((i) => `${s.x(steps[i]).toFixed(1)} ${s.y(curve.low[i]).toFixed(1)}`).reverse();
    if (up.length) make(parent, "path", { class: "band", style: `fill:var(${curve.colour})`, d: `M${up.join("L")}L${down.join("L")}Z` });
  }

  place(event) {
    return event.clientX - this.plot.getBoundingClientRect().left;
  }

  move(event) {
    this.at = nearest(this.data.steps, this.scale.step(this.place(event)));
    this.point();
    if (this.from !== null && this.from !== undefined) this.select(this.from, this.place(event));
  }

  press(event) {
    if (event.button !== 0) return;
    this.from = this.place(event);
    if (event.pointerType === "mouse") this.plot.setPointerCapture(event.pointerId);
    this.move(event);
  }

  release(event) {
    const from = this.from, to = this.place(event);
    this.from = null;
    if (from === null || from === undefined) return;
    if (Math.abs(to - from) > 12) {
      const [a, b] = [from, to].sort((p, q) => p - q).map((px) => this.scale.step(px));
      const inside = this.data.steps.filter((step) => step >= a && step <= b);
      if (inside.length > 2) this.range = [a, b];
    }
    this.draw();
    this.move(event);
  }

  key(event) {
    const last = this.data.steps.length - 1;
    const now = this.at === null ? last : this.at;
    if (event.key === "ArrowLeft") this.at = Math.max(now - 1, 0);
    else if (event.key === "ArrowRight") this.at = Math.min(now + 1, last);
    else if (event.key === "Escape") { this.range = null; this.at = null; this.draw(); }
    else return;
    event.preventDefault();
    this.point();
  }

  select(from, to) {
    const { box } = this.scale;
    if (this.selection) this.selection.remove();
    this.selection = make(this.svg, "rect", {
      class: "selection", x: Math.min(from, to), width: Math.abs(to - from),
      y: box.top, height: box.height - box.top - box.bottom,
    });
  }

  point() {
    const { steps, curves } = this.data;
    const at = this.at === null ? steps.length - 1 : this.at;
    this.when.textContent = this.data.time ? new Date(steps[at]).toLocaleString()
      : `after ${steps[at]} ${this.data.unit}${steps[at] === 1 ? "" : "s"}`;
    curves.forEach((curve, i) => {
      const spread = curve.low && curve.high[at] !== null ? ` [${show(curve.low[at])}, ${show(curve.high[at])}]` : "";
      this.entries[i].textContent = show(curve.mean[at]);
      if (spread) {
        const small = document.createElement("small");
        small.textContent = spread;
        this.entries[i].appendChild(small);
      }
    });
    if (!this.cursor) return;
    this.cursor.replaceChildren();
    if (this.at === null) return;
    const s = this.scale, x = s.x(steps[at]);
    if (steps[at] < s.x0 || steps[at] > s.x1) return;
    make(this.cursor, "line", { x1: x, x2: x, y1: s.box.top, y2: s.box.height - s.box.bottom });
    for (const curve of this.shown()) {
      const value = curve.mean[at];
      if (value === null || (this.log && !(value > 0))) continue;
      make(this.cursor, "circle", { cx: x, cy: s.y(value), r: 3.5, style: `fill:var(${curve.colour})` });
    }
  }
}

for (const holder of document.querySelectorAll(".chart")) new Figure(holder);

// Buttons of a list of findings: show those of one kind only.
for (const filter of document.querySelectorAll(".filter")) {
  filter.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const wanted = button.getAttribute("aria-pressed") === "true" ? "" : button.dataset.kind;
    for (const other of filter.querySelectorAll("button")) {
      other.setAttribute("aria-pressed", other.dataset.kind === wanted);
    }
    for (const item of filter.parentElement.querySelectorAll(".finding")) {
      item.hidden = wanted !== "" && item.dataset.kind !== wanted;
    }
  });
}
