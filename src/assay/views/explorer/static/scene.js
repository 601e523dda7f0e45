// Positions of the marks that Vega has drawn.

function* itemsWithin(group, x, y) {
  for (const mark of group.items ?? []) {
    for (const item of mark.items ?? []) {
      yield { mark, item, x, y };
      if (mark.marktype === "group") yield* itemsWithin(item, x + (item.x ?? 0), y + (item.y ?? 0));
    }
  }
}

/** Yield every item of a view with its mark and the position of its group in the canvas, in pixels. */
export function* itemsOf(view) {
  const [left, top] = view.origin();
  const padding = view.padding();
  yield* itemsWithin({ items: [view.scenegraph().root] }, left + padding.left, top + padding.top);
}

/** Return the items of the marks with this name, and their positions. */
export function marks(view, name) {
  const items = [];
  for (const { mark, item, x, y } of itemsOf(view))
    if (mark.name === name) items.push({ datum: item.datum, x: x + item.x, y: y + item.y });
  return items;
}

/** Return the item nearest to the position x, y and at most `maxDistance` pixels away, or null. */
export function nearest(items, x, y, maxDistance) {
  let best = null;
  let bestSquare = maxDistance * maxDistance;
  for (const item of items) {
    const square = (item.x - x) ** 2 + (item.y - y) ** 2;
    if (square <= bestSquare) [best, bestSquare] = [item, square];
  }
  return best;
}
