// Targets of the marks of a figure: the curves of a run and topic, a topic, or a run.

import { address, formatPin } from "./state.js";

/** Return a function from a mark to its address, or null; `here` returns values that all marks of the figure share. */
export function leads(campaign, here = () => ({})) {
  const runs = new Set(campaign.runs.map((one) => one.name));
  const topics = new Set(campaign.topics.map((one) => one.topic));
  return (datum) => {
    const values = { ...datum, ...here() };
    const run = typeof values.run === "string" && runs.has(values.run) ? values.run : null;
    const topic = typeof values.topic === "string" && topics.has(values.topic) ? values.topic : null;
    if (run !== null && topic !== null) return address("/effort-gain", { pin: formatPin({ run, topic }) });
    if (topic !== null) return address("/topic", { topic });
    return run === null ? null : address("/system", { run });
  };
}
