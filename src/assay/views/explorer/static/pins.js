// The pinned rankings: each has its curves of relative position and gain, and a button to remove it.

import { requestJson } from "./api.js";
import { el, setChildren } from "./dom.js";
import { Figure, prefetch } from "./figure.js";
import { runLink, topicLink } from "./shell.js";
import { formatPin } from "./state.js";
import { count, number } from "./text.js";

export const MAX_PINS = 6;
const CURVES = "crp-dcg";
const MAX_WIDTH = 900; // Maximum width of the curves, in pixels.
const FRAME_WIDTH = 26; // Width of a pin without its figure, in pixels.

export class Pins {
  constructor(host, onRemove) {
    this.host = host;
    this.onRemove = onRemove;
    this.shown = new Map();
    const hint = "Nothing is pinned yet: click a point, or choose a run and a topic above.";
    this.hint = el("p", { class: "status" }, hint);
    setChildren(host, this.hint);
  }

  /** Show only these pins, with the variant `gain` of DCG; pins that are already shown are not drawn again. */
  show(pins, gain) {
    const keys = new Set(pins.map(formatPin));
    for (const [key, { node, figure }] of this.shown) {
      if (keys.has(key)) continue;
      figure.remove();
      node.remove();
      this.shown.delete(key);
    }
    this.hint.hidden = pins.length > 0;
    pins.forEach((pin, index) => this.#place(pin, index, gain));
  }

  /** Request the curves of a ranking that the reader may pin next, so that they are in the cache. */
  prefetch(pin, gain) {
    if (this.shown.has(formatPin(pin)) || this.shown.size >= MAX_PINS) return;
    const request = prefetch(CURVES, { run: pin.run, topic: pin.topic, gain }, this.host.clientWidth - FRAME_WIDTH, MAX_WIDTH);
    request.catch(() => {}); // An error is reported when the ranking is pinned.
  }

  /** Wait until all curves are drawn. */
  finished() {
    return Promise.all([...this.shown.values()].map(({ drawing }) => drawing));
  }

  #place(pin, index, gain) {
    const key = formatPin(pin);
    const entry = this.shown.get(key) ?? this.#build(pin);
    this.shown.set(key, entry);
    entry.node.className = `pin pin-${index + 1}`;
    entry.badge.textContent = String(index + 1);
    const occupant = this.host.children[index + 1] ?? null; // The first child is the hint.
    if (occupant !== entry.node) this.host.insertBefore(entry.node, occupant);
    if (entry.gain === gain) return;
    entry.gain = gain;
    entry.drawing = entry.figure.show({ run: pin.run, topic: pin.topic, gain });
  }

  #build(pin) {
    const badge = el("span", { class: "badge" });
    const label = `${pin.run} on topic ${pin.topic}`;
    const close = el("button", { type: "button", class: "close", "aria-label": `Remove the pin of ${label}` }, "×");
    close.addEventListener("click", () => {
      const neighbour = close.closest(".pin").nextElementSibling ?? close.closest(".pin").previousElementSibling;
      this.onRemove(pin);
      (neighbour?.querySelector(".close") ?? document.querySelector("#pin-form select"))?.focus();
    });
    const title = el("h3", {}, runLink(pin.run), " on topic ", topicLink(pin.topic));
    const facts = el("p", { class: "note" });
    const host = el("div");
    const head = el("div", { class: "pin-head" }, badge, title, close);
    const node = el("section", { class: "pin", "aria-label": label }, head, facts, host);
    this.host.append(node);
    const figure = new Figure(host, {
      name: CURVES,
      label: `Curves of ${label}`,
      maxWidth: MAX_WIDTH,
      onDraw: () => showFacts(facts, pin).catch((error) => setChildren(facts, error.message)),
    });
    return { node, badge, figure, gain: null, drawing: null };
  }
}

/** Describe the curve in one line; the curves are drawn before this line is requested. */
async function showFacts(element, pin) {
  const data = await requestJson("curve", { run: pin.run, topic: pin.topic });
  const shape = data.relevant ? describeShape(data) : [];
  const twist = `Twist ${number(data.indicators.twist, 3)}`;
  setChildren(element, [data.archetype ?? "no curve", `R = ${count(data.relevant)}`, twist, ...shape].join(" · "));
}

/** Describe the turn-around and the balance point, the last rank before the curve returns to the axis. */
function describeShape({ archetype, turn, balance }) {
  if (archetype === "ideal") return ["never leaves the axis"];
  const recovery = balance === null ? "never returns to the axis" : `returns to the axis after rank ${count(balance)}`;
  return [`lowest at rank ${count(turn)}`, recovery];
}
