import type { CreateBindingRequest } from "@fairlead/contract";
import type { Principal } from "../policy/index.ts";
import type { AccessRoom } from "../service.ts";

/** Says in sentences what may be misspelt in a binding. It stands all the same: people bind before someone comes. */
export function listSlips(
  { may, users, labels }: AccessRoom,
  by: Principal,
  { subject, clusters }: CreateBindingRequest,
): string[] {
  const slips: string[] = [];
  const mayKnowUsers = may(by, { verb: "list", resource: "users" });
  if (subject.kind === "user" && mayKnowUsers && !users.find(subject.name)) {
    slips.push(`Nobody named ${subject.name} has signed in yet.`);
  }
  const missing = ("names" in clusters ? clusters.names : []).filter(
    // A caller who may not know a cluster isn't told that it is missing, either.
    (name) => labels(name) === undefined && may(by, { verb: "get", resource: "clusters", cluster: name }),
  );
  slips.push(...missing.slice(0, shownClusters).map((name) => `There is no cluster named ${name} yet.`));
  if (missing.length > shownClusters) slips.push(`Nor are ${missing.length - shownClusters} more.`);
  return slips;
}

const shownClusters = 20;
