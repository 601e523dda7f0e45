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
  return parts.map((text) => text.trim()).filter(Boolean);
}

/** Return the index of the bracket that closes the bracket at `start`. */
function closingBracket(text, start) {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === "(") depth += 1;
    if (text[index] === ")") depth -= 1;
    if (depth === 0) return index;
  }
  return text.length;
}

/** Return the name of a measure and its values by parameter; `findMeasure` returns the description of a measure. */
export function parseMeasure(text, findMeasure) {
  const name = text.match(/^[^(@]*/)[0].trim();
  const measure = findMeasure(name);
  if (!measure) return { name, values: {} };
  const open = text.indexOf("(");
  const end = open < 0 ? -1 : closingBracket(text, open);
  const values = {};
  for (const argument of open < 0 ? [] : split(text.slice(open + 1, end))) {
    const pair = argument.match(/^(\w+)\s*=\s*(.*)$/s);
    if (pair) values[pair[1]] = pair[2];
    else values[measure.parameters.find((parameter) => parameter.kind === "measure")?.name ?? "?"] = argument;
  }
  const cutoff = text.slice(open < 0 ? name.length : end + 1).match(/@\s*(.+)$/);
  if (cutoff) values[measure.parameters.find((parameter) => parameter.at)?.name ?? "?"] = cutoff[1].trim();
  return { name, values };
}

/** Format a measure with the values of its parameters; values equal to the default are omitted. */
export function formatMeasure(measure, values) {
  const written = measure.parameters.filter(({ name, default: standard }) => {
    const value = values[name];
    return value !== undefined && value !== null && value !== "" && String(value) !== String(standard);
  });
  const format = ({ name, kind }) => (kind === "measure" ? values[name] : `${name}=${values[name]}`);
  const inBrackets = written.filter(({ at }) => !at).map(format); // `at` marks the parameter that is written after @.
  const cutoff = written.find(({ at }) => at);
  const brackets = inBrackets.length ? `(${inBrackets.join(", ")})` : "";
  return measure.name + brackets + (cutoff ? `@${values[cutoff.name]}` : "");
}
