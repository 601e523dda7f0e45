// Where Vega has drawn what: the marks of a view by name, and their places in the canvas.

function* groups(item, x, y) {
  for (const mark of item.items ?? []) {
    yield { mark, x, y };
    if (mark.marktype !== "group") continue;
    for (const group of mark.items) yield* groups(group, x + (group.x ?? 0), y + (group.y ?? 0));
  }
}

/** The items of the marks of a name, each with its place in pixels of the page within the canvas. */
export function marks(view, name) {
  const root = view.scenegraph().root;
  const [left, top] = view.origin();
  const padding = view.padding();
  const found = [];
  for (const { mark, x, y } of groups({ items: [root] }, left + padding.left, top + padding.top)) {
    if (mark.name !== name) continue;
    for (const item of mark.items) found.push({ item, datum: item.datum, x: x + item.x, y: y + item.y });
  }
  return found;
}

/** The nearest of such items to a pointer, if one is near enough. */
export function nearest(items, x, y, most) {
  let best = null;
  let least = most * most;
  for (const one of items) {
    const distance = (one.x - x) ** 2 + (one.y - y) ** 2;
    if (distance <= least) [best, least] = [one, distance];
  }
  return best;
}
