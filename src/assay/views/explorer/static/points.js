// The scatter plot of effort against gain: the point nearest to the pointer is active; pins are numbered rings.

import { debounce } from "./api.js";
import { Figure } from "./figure.js";
import { marks, nearest } from "./scene.js";
import { number } from "./text.js";
import { tooltip } from "./tooltip.js";

const REACH = 14; // Largest distance in pixels from the pointer to an active point.
const POINTS = "points";
const RINGS = "pins";
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#8c6bb1"];

function isPoints(layer) {
  return layer.encoding?.x?.field === "twist" && layer.encoding?.y?.field === "gain";
}

/** Return the layers of the view that contains the points, and name the layer of the points. */
function layersOf(spec) {
  const points = spec.layer?.find(isPoints);
  if (points) {
    points.name = POINTS;
    return spec.layer;
  }
  for (const inner of [spec.layer, spec.vconcat, spec.hconcat, spec.concat].flatMap((views) => views ?? [])) {
    const layers = layersOf(inner);
    if (layers) return layers;
  }
  return null;
}

/** Add a layer of rings with its own data, so that pinning does not draw the figure again. */
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

function describePoint({ run, topic, twist, gain, archetype }) {
  return { run, topic, Twist: number(twist), gain: number(gain), curve: archetype ?? "–" };
}

export class Points {
  /** `chosen` is called with the ranking of a clicked point, `near` with that of a point under the pointer. */
  constructor(host, chosen, near) {
    this.chosen = chosen;
    this.near = debounce(near, 50);
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

  /** Mark the pinned rankings. */
  mark(pins) {
    this.pins = pins;
    this.#rings();
  }

  #drawn(view) {
    this.items = marks(view, `${POINTS}_marks`);
    const canvas = this.figure.box.querySelector("canvas");
    canvas.addEventListener("click", (event) => {
      const point = this.#near(event);
      if (point) this.chosen({ run: point.datum.run, topic: point.datum.topic });
    });
    canvas.addEventListener("pointermove", (event) => this.#hover(event, canvas));
    canvas.addEventListener("pointerleave", (event) => tooltip(null, event, null, null));
    this.#rings();
  }

  #near(event) {
    return nearest(this.items, event.offsetX, event.offsetY, REACH);
  }

  #hover(event, canvas) {
    const point = this.#near(event);
    canvas.classList.toggle("hit", Boolean(point));
    tooltip(null, event, null, point ? describePoint(point.datum) : null);
    if (point && point.datum !== this.last) this.near({ run: point.datum.run, topic: point.datum.topic });
    this.last = point?.datum ?? null;
  }

  #rings() {
    const { view } = this.figure;
    if (!view || !this.items.length) return; // Nothing is drawn yet, or the filters leave no point.
    const places = this.pins.map(({ run, topic }, index) => {
      const point = this.items.find(({ datum }) => datum.run === run && datum.topic === topic);
      if (!point) return null;
      const { twist, gain } = point.datum;
      return { pin: index + 1, colour: COLOURS[index], twist, gain };
    });
    view.data(RINGS, places.filter((one) => one !== null)).run();
  }
}
