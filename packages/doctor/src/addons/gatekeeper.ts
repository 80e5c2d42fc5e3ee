import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import type { CheckInput, Verdict } from "../checks/index.ts";
import { listByName, refTo, type Snapshot } from "../snapshot/index.ts";
import { optionalEverywhere } from "./need.ts";
import { type EnforcedRule, judgeRefusals, refusalWhy } from "./refusing-policies.ts";

export const gatekeeper: Addon = {
  id: "gatekeeper",
  title: "Gatekeeper",
  need: optionalEverywhere,
  signals: {
    resources: ["constrainttemplates.templates.gatekeeper.sh"],
    components: [
      {
        name: "webhook",
        isEssential: true,
        images: ["openpolicyagent/gatekeeper"],
        labels: { "gatekeeper.sh/operation": ["webhook"] },
        names: ["gatekeeper-controller", "gatekeeper-controller-manager"],
      },
    ],
  },
  checks: [
    {
      id: "gatekeeper.refusals",
      title: "No constraint in force is about images or labels",
      why: refusalWhy,
      severity: "recommended",
      features: ["deploy"],
      judge: judgeConstraints,
    },
  ],
  unlocks: [],
};

/** Each template defines a kind of its own; these are the library's about images and labels. */
const constraints = [
  "k8sallowedrepos",
  "k8sdisallowedrepos",
  "k8sdisallowedtags",
  "k8simagedigests",
  "k8srequiredlabels",
];

function judgeConstraints({ snapshot }: CheckInput): Verdict {
  return judgeRefusals(constraints.flatMap((plural) => enforced(snapshot, plural)));
}

function enforced(snapshot: Snapshot, plural: string): EnforcedRule[] {
  const resource = `${plural}.constraints.gatekeeper.sh`;
  const text = plural === "k8srequiredlabels" ? "labels" : "images";
  return listByName(snapshot, resource)
    .filter((constraint) => (new Fields(constraint).at("spec", "enforcementAction").text() ?? "deny") === "deny")
    .map((constraint) => ({ object: refTo(resource, constraint), path: "spec.enforcementAction", text }));
}
