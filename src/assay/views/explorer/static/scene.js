// Positions of the marks that Vega has drawn, by name.

function* inside(group, x, y) {
  for (const mark of group.items ?? []) {
    for (const item of mark.items ?? []) {
      yield { mark, item, x, y };
      if (mark.marktype === "group") yield* inside(item, x + (item.x ?? 0), y + (item.y ?? 0));
    }
  }
}

/** Yield every item of a view with its mark and the position of its group in the canvas, in pixels. */
export function* itemsOf(view) {
  const [left, top] = view.origin();
  const padding = view.padding();
  yield* inside({ items: [view.scenegraph().root] }, left + padding.left, top + padding.top);
}

/** Return the items of the marks with a name, with their positions. */
export function marks(view, name) {
  const items = [];
  for (const { mark, item, x, y } of itemsOf(view))
    if (mark.name === name) items.push({ datum: item.datum, x: x + item.x, y: y + item.y });
  return items;
}

/** Return the item nearest to a pointer within `most` pixels, or null. */
export function nearest(items, x, y, most) {
  let best = null;
  let least = most * most;
  for (const one of items) {
    const distance = (one.x - x) ** 2 + (one.y - y) ** 2;
    if (distance <= least) [best, least] = [one, distance];
  }
  return best;
}
