// Where a mark of a figure leads: to the curves of its run and topic, to its topic, or to its run.

import { address, written } from "./state.js";

/** Gives the address for what is under the pointer, or null; `here` tells what all marks of the figure share. */
export function leads(campaign, here = () => ({})) {
  const runs = new Set(campaign.runs.map((one) => one.name));
  const topics = new Set(campaign.topics.map((one) => one.topic));
  return (datum) => {
    const found = { ...datum, ...here() };
    const run = typeof found.run === "string" && runs.has(found.run) ? found.run : null;
    const topic = typeof found.topic === "string" && topics.has(found.topic) ? found.topic : null;
    if (run !== null && topic !== null) return address("/effort-gain", { pin: written({ run, topic }) });
    if (topic !== null) return address("/topic", { topic });
    return run === null ? null : address("/system", { run });
  };
}
