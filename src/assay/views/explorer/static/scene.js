// Where Vega has drawn what: the marks of a view by name, and their places in the canvas.

function* inside(group, x, y) {
  for (const mark of group.items ?? []) {
    for (const item of mark.items ?? []) {
      yield { mark, item, x, y };
      if (mark.marktype === "group") yield* inside(item, x + (item.x ?? 0), y + (item.y ?? 0));
    }
  }
}

/** Every item of a view with its mark, and the place of the group that it is in, in pixels within the canvas. */
export function* placed(view) {
  const [left, top] = view.origin();
  const padding = view.padding();
  yield* inside({ items: [view.scenegraph().root] }, left + padding.left, top + padding.top);
}

/** The items of the marks of a name, each with its own place. */
export function marks(view, name) {
  const found = [];
  for (const { mark, item, x, y } of placed(view))
    if (mark.name === name) found.push({ datum: item.datum, x: x + item.x, y: y + item.y });
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
