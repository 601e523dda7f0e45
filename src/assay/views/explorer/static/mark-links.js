// Links from the marks of a figure to pages: the curves of a run on a topic, a topic, or a run.

import { address, formatPin } from "./state.js";

/**
 * Return a function that returns the address of a mark, or null if there is none. `sharedValues` returns the run or the
 * topic that all marks of the figure share.
 */
export function markLinks(campaign, sharedValues = () => ({})) {
  const runs = new Set(campaign.runs.map(({ name }) => name));
  const topics = new Set(campaign.topics.map(({ topic }) => topic));
  return (datum) => {
    const values = { ...datum, ...sharedValues() };
    const run = typeof values.run === "string" && runs.has(values.run) ? values.run : null;
    const topic = typeof values.topic === "string" && topics.has(values.topic) ? values.topic : null;
    if (run !== null && topic !== null) return address("/effort-gain", { pin: formatPin({ run, topic }) });
    if (topic !== null) return address("/topic", { topic });
    return run === null ? null : address("/system", { run });
  };
}
