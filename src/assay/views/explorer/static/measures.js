// Fields for measures in the notation nDCG@10, RBP(p=0.8), AP(rel=2)@100.

import { requestJson } from "./api.js";
import { textField } from "./controls.js";
import { el } from "./dom.js";
import { change } from "./state.js";

/** Return the default measures, then the examples of every measure. */
export function suggestions(campaign) {
  const measures = campaign.measures.flatMap(({ examples }) => examples);
  return [...new Set([...campaign.defaults.measures, ...measures])];
}

/** A field for one measure. `onChoose` is called only with a valid measure; otherwise the field shows the error. */
export function measureField(campaign, { label, value, onChoose, clear = false }) {
  const field = textField({
    label,
    value,
    suggestions: suggestions(campaign),
    hint: "such as AP, nDCG@10, RBP(p=0.8), P(rel=2)@5",
    onChange: async (text) => {
      showError("");
      if (!text) return;
      try {
        const { measures } = await requestJson("leaderboard", { measure: text });
        if (measures.length > 1) throw new Error(`${text} means several measures; name one measure`);
        if (clear) field.input.value = "";
        onChoose(measures[0].measure);
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
  field.node.classList.add("needs-server");
  field.node.append(message);
  return field;
}

/** Return the field for the measure of a page. */
export function measureControl(campaign, measure, label = "Measure") {
  return measureField(campaign, { label, value: measure(), onChoose: (value) => change({ measure: value }) });
}
