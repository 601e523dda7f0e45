// The scatter of effort against gain: the nearest point answers to the pointer, pins are rings with numbers.

import { debounced } from "./api.js";
import { Figure } from "./figure.js";
import { marks, nearest } from "./scene.js";
import { number } from "./text.js";
import { tooltip } from "./tooltip.js";

const REACH = 14; // pixels within which a point is meant
const POINTS = "points";
const RINGS = "pins";
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#8c6bb1"];

function isPoints(layer) {
  return layer.encoding?.x?.field === "twist" && layer.encoding?.y?.field === "gain";
}

/** The layers of the view in which the points are; theirs gets a name by which its marks are found. */
function layersOf(spec) {
  const points = spec.layer?.find(isPoints);
  if (points) {
    points.name = POINTS;
    return spec.layer;
  }
  for (const inner of [spec.layer, spec.vconcat, spec.hconcat, spec.concat].flatMap((views) => views ?? [])) {
    const found = layersOf(inner);
    if (found) return found;
  }
  return null;
}

/** Rings are a layer of their own with data of their own, so that a pin needs no new figure. */
function withRings(spec) {
  const layers = layersOf(spec);
  if (!layers) return spec;
  const places = { x: { field: "twist", type: "quantitative" }, y: { field: "gain", type: "quantitative" } };
  const colour = { field: "colour", type: "nominal", scale: null, legend: null };
  layers.push(
    {
      data: { name: RINGS },
      mark: { type: "point", size: 150, strokeWidth: 3, opacity: 1, filled: false },
      encoding: { ...places, color: colour },
    },
    ...["halo", "label"].map((style) => ({
      data: { name: RINGS },
      mark: { type: "text", style, dx: 12, dy: -10, fontSize: 13, fontWeight: "bold" },
      encoding: { ...places, text: { field: "pin", type: "nominal" } },
    })),
  );
  return spec;
}

function told({ run, topic, twist, gain, archetype }) {
  return { run, topic, Twist: number(twist), gain: number(gain), curve: archetype ?? "–" };
}

export class Points {
  /** `chosen` is called with the ranking that is clicked, `near` with one that the pointer rests on. */
  constructor(host, chosen, near) {
    this.chosen = chosen;
    this.near = debounced(near, 50);
    this.last = null;
    this.pins = [];
    this.items = [];
    this.figure = new Figure(host, {
      name: "effort-gain",
      label: "Effort against gain, a point for each run and topic",
      most: 760,
      prepare: withRings,
      drawn: (view) => this.#drawn(view),
    });
  }

  show(params) {
    return this.figure.show(params);
  }

  /** Show which rankings are pinned. */
  mark(pins) {
    this.pins = pins;
    this.#rings();
  }

  #drawn(view) {
    this.items = marks(view, `${POINTS}_marks`);
    const canvas = this.figure.box.querySelector("canvas");
    canvas.addEventListener("click", (event) => {
      const found = this.#near(event);
      if (found) this.chosen({ run: found.datum.run, topic: found.datum.topic });
    });
    canvas.addEventListener("pointermove", (event) => this.#hover(event, canvas));
    canvas.addEventListener("pointerleave", (event) => tooltip(null, event, null, null));
    this.#rings();
  }

  #near(event) {
    return nearest(this.items, event.offsetX, event.offsetY, REACH);
  }

  #hover(event, canvas) {
    const found = this.#near(event);
    canvas.classList.toggle("hit", Boolean(found));
    tooltip(null, event, null, found ? told(found.datum) : null);
    if (found && found.datum !== this.last) this.near({ run: found.datum.run, topic: found.datum.topic });
    this.last = found?.datum ?? null;
  }

  #rings() {
    const { view } = this.figure;
    if (!view || !this.items.length) return; // nothing is drawn yet, or no point is left
    const places = this.pins.map(({ run, topic }, index) => {
      const found = this.items.find(({ datum }) => datum.run === run && datum.topic === topic);
      if (!found) return null;
      const { twist, gain } = found.datum;
      return { pin: index + 1, colour: COLOURS[index], twist, gain };
    });
    view.data(RINGS, places.filter((one) => one !== null)).run();
  }
}
