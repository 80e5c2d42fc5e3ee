// Policy engines refuse workloads for what they are made of. Whether a policy would refuse ours can't be told without
// running it; whether it is in force and is about images or labels can.
import { few, listNames, pass, type Verdict, warn } from "../checks/index.ts";
import type { ObjectRef } from "../snapshot/index.ts";

export interface EnforcedRule {
  readonly object: ObjectRef;
  readonly path: string;
  /** The text of the rule, as it is written there. */
  readonly text: string;
}

export const refusalWhy =
  "A policy in force that asks for labels, or for images from certain registries, refuses workloads that lack them: deployments then fail for a reason that no manifest shows. Exclude the namespaces of workloads, or see that they meet it.";

export function judgeRefusals(rules: readonly EnforcedRule[]): Verdict {
  const suspects = rules.flatMap((rule) => {
    const subject = subjectOf(rule.text);
    return subject === undefined ? [] : [{ ...rule, subject }];
  });
  if (suspects.length === 0) return pass("No policy in force is about images or labels.");
  return warn(
    `These policies may refuse workloads for their images or labels: ${listNames(suspects.map(({ object }) => object.name))}.`,
    few(suspects).map(({ object, path, subject }) => ({
      object,
      path,
      observed: `asks for certain ${subject}`,
      expected: "namespaces of workloads are excluded, or meet it",
    })),
  );
}

function subjectOf(text: string): "images" | "labels" | undefined {
  if (/image/i.test(text)) return "images";
  return /labels/i.test(text) ? "labels" : undefined;
}
