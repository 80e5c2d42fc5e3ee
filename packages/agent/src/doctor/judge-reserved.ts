import type { Check, CheckReport } from "@fairlead/doctor";
import { type ApiCatalogue, resourceKey } from "@fairlead/kube";
import { findReserved, observeErrors } from "../observe/index.ts";

/** Says on the hub, too, that kinds which the cluster defines in our group aren't observed. */
export function judgeReserved({ resources }: ApiCatalogue): CheckReport {
  const keys = findReserved(resources).map(resourceKey).toSorted();
  const [first] = keys;
  if (first === undefined) {
    return {
      check,
      verdict: { is: "pass", message: "No kind of the cluster is in the group fairlead.dev.", evidence: [] },
    };
  }
  const { code, message } = observeErrors.OBSERVE_GROUP_RESERVED({ kind: keys.slice(0, maxNamed).join(", ") });
  const evidence = keys.slice(0, maxNamed).map((name) => ({
    object: { resource: "customresourcedefinitions.apiextensions.k8s.io", name },
    path: "spec.group",
    observed: name.slice(name.indexOf(".") + 1),
    expected: "a group that isn't fairlead.dev, nor ends in .fairlead.dev",
  }));
  return { check, verdict: { is: "fail", message: `${code}: ${message}`, evidence } };
}

const check: Check = {
  id: "cluster.reserved-group",
  title: "No kind of the cluster is in the group fairlead.dev",
  why: "Objects of that group are what Fairlead's agent derives. A kind that the cluster defines there could pass for one of them, so it is neither observed nor kept.",
  severity: "recommended",
  features: [],
  judge: () => ({ is: "unknown", message: "The agent checks it, from discovery.", evidence: [] }),
};
const maxNamed = 8;
