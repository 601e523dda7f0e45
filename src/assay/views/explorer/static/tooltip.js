// The tooltip next to the pointer. It writes only text, whereas the tooltip of Vega writes markup.

import { el, setChildren } from "./dom.js";

const OFFSET = 14; // Distance from the pointer, in pixels.
let box = null;

function lines(value) {
  if (typeof value !== "object" || value === null) return [el("div", {}, String(value))];
  return Object.entries(value).map(([name, item]) =>
    el("div", { class: "tip-row" }, el("span", { class: "tip-name" }, name), el("span", {}, String(item))),
  );
}

function moveTo(event) {
  const { width, height } = box.getBoundingClientRect();
  const exceedsRight = event.clientX + OFFSET + width > innerWidth;
  const exceedsBottom = event.clientY + OFFSET + height > innerHeight;
  box.style.left = `${Math.max(4, exceedsRight ? event.clientX - OFFSET - width : event.clientX + OFFSET)}px`;
  box.style.top = `${Math.max(4, exceedsBottom ? event.clientY - OFFSET - height : event.clientY + OFFSET)}px`;
}

/** Show a value, or hide the tooltip if there is none; Vega calls this function. */
export function tooltip(_handler, event, _item, value) {
  if (!box) {
    box = el("div", { class: "tip", role: "tooltip", hidden: true });
    document.body.append(box);
    // The page moves below the pointer when it is scrolled, so the tooltip would describe another mark.
    addEventListener("scroll", () => (box.hidden = true), { capture: true, passive: true });
  }
  box.hidden = value === null || value === undefined || value === "";
  if (box.hidden) return;
  setChildren(box, lines(value));
  moveTo(event);
}
