import { Fields } from "@fairlead/kernel";
import type { ClusterObject } from "../snapshot/index.ts";
import { type Amounts, addAmounts, maxAmounts, readAmounts } from "./amounts.ts";

/** Sums up the requests of a pod as the scheduler does. */
export function readPodRequests(pod: ClusterObject): Amounts {
  const spec = new Fields(pod).at("spec");
  const containers = addAmounts(spec.at("containers").list().map(requestsOf));
  // Init containers run one after the other; those that restart always stay, and count for all that follow.
  let sidecars: Amounts = {};
  let starting: Amounts = {};
  for (const container of spec.at("initContainers").list()) {
    const own = requestsOf(container);
    if (container.at("restartPolicy").text() === "Always") sidecars = addAmounts([sidecars, own]);
    else starting = maxAmounts(starting, addAmounts([sidecars, own]));
  }
  const running = addAmounts([containers, sidecars]);
  return addAmounts([maxAmounts(running, starting), readAmounts(spec.at("overhead"))]);
}

/** A pod that has ended takes nothing. */
export function isEnded(pod: ClusterObject): boolean {
  const phase = new Fields(pod).at("status", "phase").text();
  return phase === "Succeeded" || phase === "Failed";
}

/** Limits stand for requests that are missing, as the API server fills them in. */
function requestsOf(container: Fields): Amounts {
  const resources = container.at("resources");
  return { ...readAmounts(resources.at("limits")), ...readAmounts(resources.at("requests")) };
}
