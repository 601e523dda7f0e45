// Measures as the field writes them: nDCG@10, RBP(p=0.8), AP(rel=2)@100.

import { ask } from "./api.js";
import { line } from "./controls.js";
import { el } from "./dom.js";
import { change } from "./state.js";

/** Examples of every measure, the plain names first. */
export function suggestions(campaign) {
  const examples = campaign.measures.flatMap((one) => one.examples);
  return [...new Set([...campaign.defaults.measures, ...examples])];
}

/** A field for one measure. What is written must be one before `chosen` hears of it; else the field says why not. */
export function measureField(campaign, { label, value, chosen, clear = false }) {
  const field = line({
    label,
    value,
    suggestions: suggestions(campaign),
    hint: "such as AP, nDCG@10, RBP(p=0.8), P(rel=2)@5",
    changed: async (text) => {
      complain("");
      if (!text) return;
      try {
        const { measures } = await ask("leaderboard", { measure: text });
        if (measures.length > 1) throw new Error(`${text} stands for several measures; name one`);
        if (clear) field.input.value = "";
        chosen(measures[0].measure);
      } catch (error) {
        complain(error.message);
      }
    },
  });
  const message = el("p", { class: "complaint", role: "alert", hidden: true });
  function complain(text) {
    message.textContent = text;
    message.hidden = !text;
    field.input.setAttribute("aria-invalid", String(Boolean(text)));
  }
  field.node.append(message);
  return field;
}

/** The field for the measure of a page. */
export function theMeasure(campaign, measure, label = "Measure") {
  return measureField(campaign, { label, value: measure(), chosen: (value) => change({ measure: value }) });
}
