// Fields for measures in the notation nDCG@10, RBP(p=0.8), AP(rel=2)@100.

import { ask } from "./api.js";
import { line } from "./controls.js";
import { el } from "./dom.js";
import { change } from "./state.js";

/** Return examples of every measure, the default measures first. */
export function suggestions(campaign) {
  const examples = campaign.measures.flatMap((one) => one.examples);
  return [...new Set([...campaign.defaults.measures, ...examples])];
}

/** A field for one measure. `chosen` is called only with a valid measure; otherwise the field shows the error. */
export function measureField(campaign, { label, value, chosen, clear = false }) {
  const field = line({
    label,
    value,
    suggestions: suggestions(campaign),
    hint: "such as AP, nDCG@10, RBP(p=0.8), P(rel=2)@5",
    changed: async (text) => {
      showError("");
      if (!text) return;
      try {
        const { measures } = await ask("leaderboard", { measure: text });
        if (measures.length > 1) throw new Error(`${text} means several measures; name one`);
        if (clear) field.input.value = "";
        chosen(measures[0].measure);
      } catch (error) {
        showError(error.message);
      }
    },
  });
  const message = el("p", { class: "complaint", role: "alert", hidden: true });
  function showError(text) {
    message.textContent = text;
    message.hidden = !text;
    field.input.setAttribute("aria-invalid", String(Boolean(text)));
  }
  field.node.append(message);
  return field;
}

/** Return the field for the measure of a page. */
export function measureControl(campaign, measure, label = "Measure") {
  return measureField(campaign, { label, value: measure(), chosen: (value) => change({ measure: value }) });
}
