// The pinned rankings: for each its curves of relative position and of gain, with a way to take it away.

import { ask } from "./api.js";
import { el, put } from "./dom.js";
import { Figure, foresee } from "./figure.js";
import { runLink, topicLink } from "./shell.js";
import { written } from "./state.js";
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
    const words = "Nothing is pinned yet: click a point, or choose a run and a topic above.";
    this.none = el("p", { class: "status" }, words);
    put(host, this.none);
  }

  /** Show these and no others, with a form of DCG; what is there already is not drawn again. */
  show(pins, gain) {
    const wanted = new Set(pins.map(written));
    for (const [key, { node, figure }] of this.shown) {
      if (wanted.has(key)) continue;
      figure.remove();
      node.remove();
      this.shown.delete(key);
    }
    this.none.hidden = pins.length > 0;
    pins.forEach((pin, index) => this.#place(pin, index, gain));
  }

  /** A ranking that may be pinned next. */
  expect(pin, gain) {
    if (this.shown.has(written(pin)) || this.shown.size >= PINS) return;
    const asked = foresee(CURVES, { run: pin.run, topic: pin.topic, gain }, this.host.clientWidth - FRAME, MOST);
    asked.catch(() => {}); // if it cannot be had, that is told when it is wanted
  }

  /** When all curves are drawn. */
  settled() {
    return Promise.all([...this.shown.values()].map((one) => one.drawn));
  }

  #place(pin, index, gain) {
    const key = written(pin);
    const found = this.shown.get(key) ?? this.#make(pin);
    this.shown.set(key, found);
    found.node.className = `pin pin-${index + 1}`;
    found.badge.textContent = String(index + 1);
    const there = this.host.children[index + 1] ?? null; // the first child says that there are none
    if (there !== found.node) this.host.insertBefore(found.node, there);
    if (found.gain === gain) return;
    found.gain = gain;
    found.drawn = found.figure.show({ run: pin.run, topic: pin.topic, gain });
  }

  #make(pin) {
    const badge = el("span", { class: "badge" });
    const said = `${pin.run} on topic ${pin.topic}`;
    const close = el("button", { type: "button", class: "close", "aria-label": `Remove the pin of ${said}` }, "×");
    close.addEventListener("click", () => {
      const neighbour = close.closest(".pin").nextElementSibling ?? close.closest(".pin").previousElementSibling;
      this.removed(pin);
      (neighbour?.querySelector(".close") ?? document.querySelector("#pin-form select"))?.focus();
    });
    const title = el("h3", {}, runLink(pin.run), " on topic ", topicLink(pin.topic));
    const facts = el("p", { class: "note" });
    const host = el("div");
    const head = el("div", { class: "pin-head" }, badge, title, close);
    const node = el("section", { class: "pin", "aria-label": said }, head, facts, host);
    this.host.append(node);
    const figure = new Figure(host, {
      name: CURVES,
      label: `Curves of ${said}`,
      most: MOST,
      drawn: () => tell(facts, pin).catch((error) => put(facts, error.message)),
    });
    return { node, badge, figure, gain: null, drawn: null };
  }
}

/** What the curve is like, in a line; the curves themselves do not wait for it. */
async function tell(place, pin) {
  const found = await ask("curve", { run: pin.run, topic: pin.topic });
  const curve = found.relevant ? course(found) : [];
  const twist = `Twist ${number(found.indicators.twist, 3)}`;
  put(place, [found.archetype ?? "no curve", `R = ${count(found.relevant)}`, twist, ...curve].join(" · "));
}

/** Where the curve turns and where it is back; the balance point is the last rank before it is. */
function course({ archetype, turn, balance }) {
  if (archetype === "ideal") return ["never leaves the axis"];
  const back = balance === null ? "never back on the axis" : `back on the axis after rank ${count(balance)}`;
  return [`lowest at rank ${count(turn)}`, back];
}
