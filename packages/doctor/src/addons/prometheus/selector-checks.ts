import { Fields } from "@fairlead/kernel";
import {
  type Check,
  type CheckInput,
  everywhere,
  type Fix,
  fail,
  few,
  pass,
  type Verdict,
  warn,
} from "../../checks/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { selectsLabels } from "../../workloads/index.ts";
import { fixSpec, hasOperator, readPrometheis, type StackObject } from "./stack.ts";

const why = [
  "Prometheus ignores monitors and rules that its selectors don't take, without a word. kube-prometheus-stack's default takes",
  "only those with the label `release` of its own release, so that a release of another name sees none of ours.",
].join("\n");

export const monitorsCheck: Check = {
  id: "prometheus.monitors-selected",
  title: "Prometheus takes the monitors that come with workloads",
  why,
  severity: "required",
  features: ["metrics", "gpu-metrics", "autoscaling-by-requests"],
  appliesTo: hasOperator,
  judge: (input) => judgeSelectors(input, ["serviceMonitor", "podMonitor", "scrapeConfig"]),
};

export const rulesCheck: Check = {
  id: "prometheus.rules-selected",
  title: "Prometheus takes the alerting rules that come with workloads",
  why,
  severity: "required",
  features: ["alerts"],
  appliesTo: hasOperator,
  judge: (input) => judgeSelectors(input, ["rule"]),
};

/** Passes if at least one Prometheus takes them. */
function judgeSelectors(input: CheckInput, kinds: readonly string[]): Verdict {
  const judged = readPrometheis(input).map((prometheus) => ({ prometheus, ...judgeOne(input, prometheus, kinds) }));
  const fit = judged.find(({ refused, doubtful }) => refused.length + doubtful.length === 0);
  if (fit) return pass(`${fit.prometheus.namespace}/${fit.prometheus.ref.name} takes them.`, fit.taken);
  const almost = judged.find(({ refused }) => refused.length === 0);
  if (almost) {
    const fix = fixSelectors(input, almost.prometheus, kinds);
    return warn("Only those in some namespaces are taken.", almost.doubtful, fix);
  }
  const evidence = few(judged.flatMap(({ refused }) => refused));
  const [first] = judged;
  const fix = first && fixSelectors(input, first.prometheus, kinds);
  return fail("No Prometheus takes them all.", evidence, fix);
}

function judgeOne(
  { profile }: CheckInput,
  { ref, fields }: StackObject,
  kinds: readonly string[],
): { readonly taken: Evidence[]; readonly refused: Evidence[]; readonly doubtful: Evidence[] } {
  const labels = profile.prometheus.monitorLabels;
  const found = { taken: [] as Evidence[], refused: [] as Evidence[], doubtful: [] as Evidence[] };
  for (const kind of kinds) {
    const selector = fields.at("spec", `${kind}Selector`);
    const isTaken = selector.exists && selectsLabels(selector, new Fields(labels));
    (isTaken ? found.taken : found.refused).push({
      object: ref,
      path: `spec.${kind}Selector`,
      observed: selector.exists ? selector.json() : "none, which takes nothing",
      expected: `one that takes the labels ${JSON.stringify(labels)}`,
    });
    const namespaces = fields.at("spec", `${kind}NamespaceSelector`);
    if (namespaces.json() === "{}") continue;
    (namespaces.exists ? found.doubtful : found.refused).push({
      object: ref,
      path: `spec.${kind}NamespaceSelector`,
      observed: namespaces.exists ? namespaces.json() : "none, which takes its own namespace alone",
      expected: "{}",
    });
  }
  return found;
}

function fixSelectors(input: CheckInput, prometheus: StackObject, kinds: readonly string[]): Fix {
  const spec = Object.fromEntries(
    kinds.flatMap((kind) => [
      [`${kind}Selector`, {}],
      [`${kind}NamespaceSelector`, {}],
    ]),
  );
  // The chart fills in an empty selector with its release's label, unless it is told not to.
  const ofChart = Object.fromEntries(kinds.map((kind) => [`${kind}SelectorNilUsesHelmValues`, false]));
  return fixSpec(input, prometheus, spec, { risk: everywhere("Prometheus"), ofChart: { ...spec, ...ofChart } });
}
