// The pinned rankings: the curves of relative position and gain of each, with a button to remove it.

import { ask } from "./api.js";
import { el, put } from "./dom.js";
import { Figure, prefetch } from "./figure.js";
import { runLink, topicLink } from "./shell.js";
import { formatPin } from "./state.js";
import { count, number } from "./text.js";

export const PINS = 6;
const CURVES = "crp-dcg";
const MOST = 900; // pixels of the curves
const FRAME = 26; // pixels of a pin that are not its figure

export class Pins {
  constructor(host, removed) {
    this.host = host;
    this.removed = removed;
    this.shown = new Map();
    const hint = "Nothing is pinned yet: click a point, or choose a run and a topic above.";
    this.none = el("p", { class: "status" }, hint);
    put(host, this.none);
  }

  /** Show these pins and no others, with a form of DCG; pins that are already shown are not drawn again. */
  show(pins, gain) {
    const keys = new Set(pins.map(formatPin));
    for (const [key, { node, figure }] of this.shown) {
      if (keys.has(key)) continue;
      figure.remove();
      node.remove();
      this.shown.delete(key);
    }
    this.none.hidden = pins.length > 0;
    pins.forEach((pin, index) => this.#place(pin, index, gain));
  }

  /** Request the curves of a ranking that may be pinned next. */
  expect(pin, gain) {
    if (this.shown.has(formatPin(pin)) || this.shown.size >= PINS) return;
    const request = prefetch(CURVES, { run: pin.run, topic: pin.topic, gain }, this.host.clientWidth - FRAME, MOST);
    request.catch(() => {}); // An error is reported when the ranking is pinned.
  }

  /** Wait until all curves are drawn. */
  finished() {
    return Promise.all([...this.shown.values()].map((one) => one.drawn));
  }

  #place(pin, index, gain) {
    const key = formatPin(pin);
    const entry = this.shown.get(key) ?? this.#make(pin);
    this.shown.set(key, entry);
    entry.node.className = `pin pin-${index + 1}`;
    entry.badge.textContent = String(index + 1);
    const there = this.host.children[index + 1] ?? null; // The first child is the hint.
    if (there !== entry.node) this.host.insertBefore(entry.node, there);
    if (entry.gain === gain) return;
    entry.gain = gain;
    entry.drawn = entry.figure.show({ run: pin.run, topic: pin.topic, gain });
  }

  #make(pin) {
    const badge = el("span", { class: "badge" });
    const label = `${pin.run} on topic ${pin.topic}`;
    const close = el("button", { type: "button", class: "close", "aria-label": `Remove the pin of ${label}` }, "×");
    close.addEventListener("click", () => {
      const neighbour = close.closest(".pin").nextElementSibling ?? close.closest(".pin").previousElementSibling;
      this.removed(pin);
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
      most: MOST,
      drawn: () => showFacts(facts, pin).catch((error) => put(facts, error.message)),
    });
    return { node, badge, figure, gain: null, drawn: null };
  }
}

/** Describe the curve in a line; the curves themselves do not wait for it. */
async function showFacts(place, pin) {
  const data = await ask("curve", { run: pin.run, topic: pin.topic });
  const curve = data.relevant ? course(data) : [];
  const twist = `Twist ${number(data.indicators.twist, 3)}`;
  put(place, [data.archetype ?? "no curve", `R = ${count(data.relevant)}`, twist, ...curve].join(" · "));
}

/** Describe the turning point and the balance point, the last rank before the curve returns to the axis. */
function course({ archetype, turn, balance }) {
  if (archetype === "ideal") return ["never leaves the axis"];
  const back = balance === null ? "never returns to the axis" : `returns to the axis after rank ${count(balance)}`;
  return [`lowest at rank ${count(turn)}`, back];
}
