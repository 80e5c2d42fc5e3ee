import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import type { CheckInput, Verdict } from "../checks/index.ts";
import { type ClusterObject, listByName, refTo, type Snapshot } from "../snapshot/index.ts";
import { optionalEverywhere } from "./need.ts";
import { type EnforcedRule, judgeRefusals, refusalWhy } from "./refusing-policies.ts";

export const kyverno: Addon = {
  id: "kyverno",
  title: "Kyverno",
  need: optionalEverywhere,
  signals: {
    resources: ["clusterpolicies.kyverno.io", "validatingpolicies.policies.kyverno.io"],
    components: [
      {
        name: "admission-controller",
        isEssential: true,
        images: ["kyverno/kyverno"],
        labels: { "app.kubernetes.io/component": ["admission-controller", "kyverno"] },
        names: [/kyverno$/],
      },
    ],
  },
  checks: [
    {
      id: "kyverno.refusals",
      title: "No policy in force is about images or labels",
      why: refusalWhy,
      severity: "recommended",
      features: ["deploy"],
      judge: judgePolicies,
    },
  ],
  unlocks: [],
};

function judgePolicies({ snapshot }: CheckInput): Verdict {
  return judgeRefusals([
    ...rulesOf(snapshot, "clusterpolicies.kyverno.io"),
    ...rulesOf(snapshot, "policies.kyverno.io"),
    ...celRulesOf(snapshot, "validatingpolicies.policies.kyverno.io"),
    ...celRulesOf(snapshot, "imagevalidatingpolicies.policies.kyverno.io"),
  ]);
}

function rulesOf(snapshot: Snapshot, resource: string): EnforcedRule[] {
  return listByName(snapshot, resource).flatMap((policy) => {
    const spec = new Fields(policy).at("spec");
    return spec
      .at("rules")
      .list()
      .map((rule, index) => ({ rule, path: `spec.rules[${index}]` }))
      .filter(({ rule }) => isEnforced(spec, rule))
      .map(({ rule, path }) =>
        toRule({ resource, policy, path, parts: [rule.at("validate"), rule.at("verifyImages")] }),
      );
  });
}

/** A rule's own action wins; newer versions write it there, older ones for the whole policy. */
function isEnforced(spec: Fields, rule: Fields): boolean {
  const images = rule.at("verifyImages").list();
  const own = [rule.at("validate"), ...images].flatMap((part) => part.at("failureAction").text() ?? []);
  const actions = own.length > 0 ? own : [spec.at("validationFailureAction").text() ?? "Audit"];
  return actions.some((action) => action.toLowerCase() === "enforce");
}

/** The kinds of the newer group say `Deny`, which is what they do when they say nothing. */
function celRulesOf(snapshot: Snapshot, resource: string): EnforcedRule[] {
  return listByName(snapshot, resource).flatMap((policy) => {
    const spec = new Fields(policy).at("spec");
    const actions = spec.at("validationActions").list();
    if (actions.length > 0 && !actions.some((action) => action.text() === "Deny")) return [];
    const isAboutImages = resource.startsWith("imagevalidating");
    const parts = isAboutImages ? [new Fields("image")] : [spec.at("validations"), spec.at("variables")];
    return [toRule({ resource, policy, path: "spec.validations", parts })];
  });
}

function toRule(options: {
  readonly resource: string;
  readonly policy: ClusterObject;
  readonly path: string;
  readonly parts: readonly Fields[];
}): EnforcedRule {
  const { resource, policy, path, parts } = options;
  return { object: refTo(resource, policy), path, text: parts.map((part) => part.json()).join("\n") };
}
