// The scatter plot of effort against gain. The point nearest to the pointer is active; pinned points have numbered rings.

import { debounce } from "./api.js";
import { Figure } from "./figure.js";
import { marks, nearest } from "./scene.js";
import { number } from "./text.js";
import { tooltip } from "./tooltip.js";

const MAX_DISTANCE = 14; // Largest distance from the pointer to an active point, in pixels.
const POINTS = "points";
const RINGS = "pins";
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#8c6bb1"];

function isPointLayer(layer) {
  return layer.encoding?.x?.field === "twist" && layer.encoding?.y?.field === "gain";
}

/** Return the layers of the view that contains the points; the layer of the points gets a name. */
function layersOf(spec) {
  const points = spec.layer?.find(isPointLayer);
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

/** Add a layer of rings with separate data, so that pinning does not draw the figure again. */
function withRings(spec) {
  const layers = layersOf(spec);
  if (!layers) return spec;
  const position = { x: { field: "twist", type: "quantitative" }, y: { field: "gain", type: "quantitative" } };
  const colour = { field: "colour", type: "nominal", scale: null, legend: null };
  layers.push(
    {
      data: { name: RINGS },
      mark: { type: "point", size: 150, strokeWidth: 3, opacity: 1, filled: false },
      encoding: { ...position, color: colour },
    },
    ...["halo", "label"].map((style) => ({
      data: { name: RINGS },
      mark: { type: "text", style, dx: 12, dy: -10, fontSize: 13, fontWeight: "bold" },
      encoding: { ...position, text: { field: "pin", type: "nominal" } },
    })),
  );
  return spec;
}

function describePoint({ run, topic, twist, gain, archetype }, measure) {
  return { run, topic, "Effort (Twist)": number(twist), [`Gain (${measure})`]: number(gain), curve: archetype ?? "–" };
}

export class Points {
  /** `onChoose` is called with the ranking of a clicked point, `onHover` with the ranking of the active point. */
  constructor(host, onChoose, onHover) {
    this.onChoose = onChoose;
    this.onHover = debounce(onHover, 50);
    this.last = null;
    this.pins = [];
    this.items = [];
    this.figure = new Figure(host, {
      name: "effort-gain",
      label: "Effort against gain, a point for each run and topic",
      maxWidth: 760,
      prepare: withRings,
      onDraw: (view) => this.#connect(view),
    });
  }

  show(params) {
    return this.figure.show(params);
  }

  /** Mark the pinned rankings. */
  mark(pins) {
    this.pins = pins;
    this.#drawRings();
  }

  #connect(view) {
    this.items = marks(view, `${POINTS}_marks`);
    const canvas = this.figure.box.querySelector("canvas");
    canvas.addEventListener("click", (event) => {
      const point = this.#activePoint(event);
      if (point) this.onChoose({ run: point.datum.run, topic: point.datum.topic });
    });
    canvas.addEventListener("pointermove", (event) => this.#hover(event, canvas));
    canvas.addEventListener("pointerleave", (event) => tooltip(null, event, null, null));
    this.#drawRings();
  }

  #activePoint(event) {
    return nearest(this.items, event.offsetX, event.offsetY, MAX_DISTANCE);
  }

  #hover(event, canvas) {
    const point = this.#activePoint(event);
    canvas.classList.toggle("hit", Boolean(point));
    tooltip(null, event, null, point ? describePoint(point.datum, this.figure.params.measure) : null);
    if (point && point.datum !== this.last) this.onHover({ run: point.datum.run, topic: point.datum.topic });
    this.last = point?.datum ?? null;
  }

  #drawRings() {
    const { view } = this.figure;
    if (!view || !this.items.length) return; // Nothing is drawn yet, or the filters leave no point.
    const rings = this.pins.map(({ run, topic }, index) => {
      const point = this.items.find(({ datum }) => datum.run === run && datum.topic === topic);
      if (!point) return null;
      const { twist, gain } = point.datum;
      return { pin: index + 1, colour: COLOURS[index], twist, gain };
    });
    view.data(RINGS, rings.filter((ring) => ring !== null)).run();
  }
}
