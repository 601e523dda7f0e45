// All elements are built here. Texts are never parsed as markup, so names of runs, topics and documents are safe.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && typeof node[name] === "boolean") node[name] = Boolean(value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/**
 * Build an element. Attributes that are null are omitted, attributes such as `onclick` are listeners, and children are
 * nodes or texts.
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Build an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** Return the element of the page with an id. */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

/** Replace the children of a node. */
export function setChildren(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

let count = 0;

/** Return a unique id. */
export function uniqueId(stem = "element") {
  count += 1;
  return `${stem}-${count}`;
}
