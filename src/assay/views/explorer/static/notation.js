// Parsing and formatting of measures: name(parameter=value, ...)@cutoff.

const OPEN = "({[";
const CLOSE = ")}]";

/** Split a text at the commas outside brackets. */
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

/** Return the index of the bracket that closes the one at `start`. */
function closingBracket(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** Return the name of a measure and its values by parameter; `about` finds a measure by its name. */
export function parseMeasure(text, about) {
  const name = text.match(/^[^(@]*/)[0].trim();
  const measure = about(name);
  if (!measure) return { name, values: {} };
  const open = text.indexOf("(");
  const end = open < 0 ? -1 : closingBracket(text, open);
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

/** Format a measure with values; those equal to the default are omitted. */
export function formatMeasure(measure, values) {
  const changed = measure.parameters.filter(({ name, default: standard }) => {
    const value = values[name];
    return value !== undefined && value !== null && value !== "" && String(value) !== String(standard);
  });
  const format = ({ name, kind }) => (kind === "measure" ? values[name] : `${name}=${values[name]}`);
  const inside = changed.filter((one) => !one.at).map(format);
  const cutoff = changed.find((one) => one.at);
  return measure.name + (inside.length ? `(${inside.join(", ")})` : "") + (cutoff ? `@${values[cutoff.name]}` : "");
}
