// Measures as the field writes them, taken apart and put together: name(parameter=value, ...)@cutoff.

const OPEN = "({[";
const CLOSE = ")}]";

/** The parts between commas that are in no brackets. */
function split(text) {
  const parts = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (OPEN.includes(character)) depth += 1;
    if (CLOSE.includes(character)) depth -= 1;
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  parts.push(part);
  return parts.map((one) => one.trim()).filter(Boolean);
}

/** Where the bracket that opens at a place is closed. */
function closing(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** The name of a measure and the values that are written, by their parameters; `about` finds a measure by its name. */
export function taken(text, about) {
  const name = text.match(/^[^(@]*/)[0].trim();
  const measure = about(name);
  if (!measure) return { name, values: {} };
  const open = text.indexOf("(");
  const end = open < 0 ? -1 : closing(text, open);
  const values = {};
  for (const one of open < 0 ? [] : split(text.slice(open + 1, end))) {
    const pair = one.match(/^(\w+)\s*=\s*(.*)$/s);
    if (pair) values[pair[1]] = pair[2];
    else values[measure.parameters.find((parameter) => parameter.kind === "measure")?.name ?? "?"] = one;
  }
  const at = text.slice(open < 0 ? name.length : end + 1).match(/@\s*(.+)$/);
  if (at) values[measure.parameters.find((parameter) => parameter.at)?.name ?? "?"] = at[1].trim();
  return { name, values };
}

/** A measure with values: only those are written that are not what is taken anyway. */
export function written(measure, values) {
  const told = measure.parameters.filter(({ name, default: usual }) => {
    const value = values[name];
    return value !== undefined && value !== null && value !== "" && String(value) !== String(usual);
  });
  const shown = ({ name, kind }) => (kind === "measure" ? values[name] : `${name}=${values[name]}`);
  const inside = told.filter((one) => !one.at).map(shown);
  const behind = told.find((one) => one.at);
  return measure.name + (inside.length ? `(${inside.join(", ")})` : "") + (behind ? `@${values[behind.name]}` : "");
}
