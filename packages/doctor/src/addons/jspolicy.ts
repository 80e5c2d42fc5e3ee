import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import type { CheckInput, Verdict } from "../checks/index.ts";
import { listByName, refTo } from "../snapshot/index.ts";
import { optionalEverywhere } from "./need.ts";
import { judgeRefusals, refusalWhy } from "./refusing-policies.ts";

const resource = "jspolicies.policy.jspolicy.com";

export const jspolicy: Addon = {
  id: "jspolicy",
  title: "jsPolicy",
  need: optionalEverywhere,
  signals: {
    resources: [resource],
    components: [{ name: "jspolicy", isEssential: true, images: ["loftsh/jspolicy"] }],
  },
  checks: [
    {
      id: "jspolicy.refusals",
      title: "No policy in force is about images or labels",
      why: refusalWhy,
      severity: "recommended",
      features: ["deploy"],
      judge: judgePolicies,
    },
  ],
  unlocks: [],
  install: {
    chart: "jspolicy",
    repository: "https://charts.loft.sh",
    version: "0.2.2",
    versionRange: ">=0.2.0 <0.3.0",
    namespace: "jspolicy",
    release: "jspolicy",
    order: 0,
    after: [],
    values: () => ({}),
  },
};

/** Policies that change objects refuse none. */
function judgePolicies({ snapshot }: CheckInput): Verdict {
  const enforced = listByName(snapshot, resource)
    .map((policy) => ({ policy, spec: new Fields(policy).at("spec") }))
    .filter(({ spec }) => (spec.at("type").text() ?? "Validating") === "Validating")
    .filter(({ spec }) => (spec.at("violationPolicy").text() ?? "deny") === "deny");
  return judgeRefusals(
    enforced.map(({ policy, spec }) => ({
      object: refTo(resource, policy),
      path: "spec.javascript",
      text: spec.at("javascript").text() ?? "",
    })),
  );
}
