// The tooltip next to the pointer. The tooltip of Vega writes markup; this one writes text only.

import { el, put } from "./dom.js";

const OFF = 14;
let box = null;

function lines(value) {
  if (typeof value !== "object" || value === null) return [el("div", {}, String(value))];
  return Object.entries(value).map(([name, one]) =>
    el("div", { class: "tip-row" }, el("span", { class: "tip-name" }, name), el("span", {}, String(one))),
  );
}

function place(event) {
  const { width, height } = box.getBoundingClientRect();
  const right = event.clientX + OFF + width > innerWidth;
  const below = event.clientY + OFF + height > innerHeight;
  box.style.left = `${Math.max(4, right ? event.clientX - OFF - width : event.clientX + OFF)}px`;
  box.style.top = `${Math.max(4, below ? event.clientY - OFF - height : event.clientY + OFF)}px`;
}

/** Show a value, or hide the tooltip if there is none; Vega calls this function. */
export function tooltip(_handler, event, _item, value) {
  if (!box) {
    box = el("div", { class: "tip", role: "tooltip", hidden: true });
    document.body.append(box);
  }
  box.hidden = value === null || value === undefined || value === "";
  if (box.hidden) return;
  put(box, lines(value));
  place(event);
}
