// Decides whether a proposal may be planned before somebody who may create it has approved that. Pure: it goes by the
// signed envelope and the policy of this cluster, so no hub can skip the approval.
import type { CommandEnvelope, EnvelopeProposal } from "@fairlead/protocol";
import type { FlowSpec, FlowStep } from "../flow/types.ts";
import type { HelmSpec, UpgradeAction } from "../helm/types.ts";

export type ProposalVerdict = { readonly mayPlan: true } | { readonly mayPlan: false; readonly why: string };

export interface ProposedCommand {
  readonly kind: string;
  /** As the kind has parsed it. */
  readonly spec: unknown;
  /** Whether the policy of this cluster lists the place of a chart by name. */
  readonly listsChart: (place: string) => boolean;
}

/** Nobody who may create it has looked at it yet, so its plan reads no Secret. */
export function isUnseen({ proposal }: Pick<CommandEnvelope, "proposal">): boolean {
  return proposal !== undefined && !isSeen(proposal);
}

export function judgeProposal(
  envelope: Pick<CommandEnvelope, "proposal">,
  command: () => ProposedCommand,
): ProposalVerdict {
  return isUnseen(envelope) ? judgeCommand(command()) : mayPlan;
}

function isSeen({ isVouched, planApprovedBy }: EnvelopeProposal): boolean {
  return isVouched || planApprovedBy.length > 0;
}

function judgeCommand({ kind, spec, listsChart }: ProposedCommand): ProposalVerdict {
  switch (kind) {
    case "manifests":
      return mayPlan;
    case "helm":
      return judgeHelm(spec as HelmSpec, listsChart);
    case "tofu":
      return held("planning runs its configuration and providers");
    case "flow":
      return judgeFlow(spec as FlowSpec, listsChart);
    default:
      return held(`planning a ${kind} may run code`);
  }
}

function judgeHelm({ action }: HelmSpec, listsChart: ProposedCommand["listsChart"]): ProposalVerdict {
  if (action.type !== "upgrade") return held(`planning the action ${action.type} reads the release's Secret`);
  return judgeChart(action, listsChart);
}

function judgeChart({ chart, values }: UpgradeAction, listsChart: ProposedCommand["listsChart"]): ProposalVerdict {
  switch (chart.type) {
    case "inline":
      return held("it contains its own chart");
    case "git":
      return held("its chart comes from a git repository");
    case "repository":
    case "oci": {
      if (chart.credentials !== undefined) return held("downloading its chart requires credentials");
      const place = chart.type === "oci" ? `oci://${chart.path}` : chart.url;
      if (!listsChart(place)) return held("the policy of this cluster doesn't list its chart's repository or registry");
      if (values.isReusing) return held("it reuses values of the release, which are in a Secret");
      if (values.from.length > 0 || mentionsReference(values.inline)) return held("its values come from the cluster");
      // Charts may evaluate values as templates (`tpl`).
      if (JSON.stringify(values.inline).includes("{{")) return held("its values contain a template");
      return mayPlan;
    }
  }
}

function judgeFlow({ steps }: FlowSpec, listsChart: ProposedCommand["listsChart"]): ProposalVerdict {
  for (const step of steps) {
    const verdict = judgeStep(step, listsChart);
    if (!verdict.mayPlan) return held(`step ${step.id}: ${verdict.why}`);
  }
  return mayPlan;
}

function judgeStep(
  { kind, needs, runner, template, earlier }: FlowStep,
  listsChart: ProposedCommand["listsChart"],
): ProposalVerdict {
  // A wait changes nothing, and tells no value of a Secret.
  if (kind === "wait" || kind === "manifests") return mayPlan;
  if (kind === "helm" && needs.size > 0) return held("earlier steps decide what it installs");
  const spec = kind === "helm" ? runner.parse(template.fill({ earlier, lookUp: () => ({ value: null }) })) : undefined;
  return judgeCommand({ kind, spec, listsChart });
}

function mentionsReference(value: unknown): boolean {
  return reference.test(JSON.stringify(value));
}

function held(why: string): ProposalVerdict {
  return { mayPlan: false, why };
}

const mayPlan: ProposalVerdict = { mayPlan: true };
const reference = /\$\{(?:secret|configmap):/;
