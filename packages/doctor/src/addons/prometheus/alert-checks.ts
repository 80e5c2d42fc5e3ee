import { Fields } from "@fairlead/kernel";
import {
  type Check,
  type CheckInput,
  destructive,
  everywhere,
  fail,
  few,
  pass,
  type Verdict,
} from "../../checks/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { selectsLabels } from "../../workloads/index.ts";
import { findAlertmanagers, fixSpec, hasOperator, type StackObject } from "./stack.ts";

export const matcherStrategyCheck: Check = {
  id: "prometheus.alertmanager-matcher-strategy",
  title: "Alertmanager sends alerts of all namespaces to one route",
  why: [
    "Unless `alertmanagerConfigMatcherStrategy.type` is `None`, the operator adds a matcher to each AlertmanagerConfig:",
    "only alerts of its own namespace take its route, and those of workloads get lost. The default is `OnNamespace`.",
  ].join("\n"),
  severity: "required",
  features: ["alerts"],
  appliesTo: hasOperator,
  judge(input) {
    const managers = findAlertmanagers(input);
    if (managers.length === 0) return noAlertmanager;
    const wrong = managers.filter((manager) => strategyOf(manager) !== "None");
    const evidence = few(wrong.length > 0 ? wrong : managers).map(strategyEvidence);
    const [first] = wrong;
    if (!first) return pass("Alerts of all namespaces take the routes of any AlertmanagerConfig.", evidence);
    const fix = fixSpec(input, first, { alertmanagerConfigMatcherStrategy: { type: "None" } }, { risk: toAll });
    return fail("Alertmanager drops alerts of other namespaces than its routes' own.", evidence, fix);
  },
};

export const alertRoutesCheck: Check = {
  id: "prometheus.alert-routes-selected",
  title: "Alertmanager takes the routes that come with workloads",
  why: "An AlertmanagerConfig whose labels or namespace no selector takes is ignored without a word, and its alerts go nowhere.",
  severity: "required",
  features: ["alerts"],
  appliesTo: hasOperator,
  judge(input) {
    const managers = findAlertmanagers(input);
    if (managers.length === 0) return noAlertmanager;
    const refusals = managers.map((manager) => ({ manager, evidence: refusalsOf(input, manager) }));
    if (refusals.some(({ evidence }) => evidence.length === 0)) return pass("Its selectors take our routes.");
    const [first] = refusals;
    const evidence = few(refusals.flatMap((refusal) => refusal.evidence));
    const fix =
      first &&
      fixSpec(
        input,
        first.manager,
        { alertmanagerConfigSelector: {}, alertmanagerConfigNamespaceSelector: {} },
        { risk: everywhere("Alertmanager") },
      );
    return fail("No Alertmanager takes AlertmanagerConfigs with the labels of the profile.", evidence, fix);
  },
};

const toAll = destructive("Routes of each namespace then get the alerts of all others, too.");

const noAlertmanager: Verdict = fail("There is no Alertmanager, so that alerts reach nobody.", [
  {
    object: { resource: "customresourcedefinitions.apiextensions.k8s.io", name: "alertmanagers.monitoring.coreos.com" },
    path: "",
    observed: "no object of this kind",
    expected: "an Alertmanager",
  },
]);

function strategyOf({ fields }: StackObject): string {
  return fields.at("spec", "alertmanagerConfigMatcherStrategy", "type").text() ?? "OnNamespace (the default)";
}

function strategyEvidence(manager: StackObject): Evidence {
  return {
    object: manager.ref,
    path: "spec.alertmanagerConfigMatcherStrategy.type",
    observed: strategyOf(manager),
    expected: "None",
  };
}

/** Without a selector the operator takes none; without one for namespaces, those of Alertmanager's own, where ours lie. */
function refusalsOf({ profile, snapshot }: CheckInput, { ref, namespace, fields }: StackObject): Evidence[] {
  const spec = fields.at("spec");
  const selector = spec.at("alertmanagerConfigSelector");
  const namespaces = spec.at("alertmanagerConfigNamespaceSelector");
  const refusals: Evidence[] = [];
  const wanted = profile.prometheus.monitorLabels;
  if (!selector.exists || !selectsLabels(selector, new Fields(wanted))) {
    refusals.push({
      object: ref,
      path: "spec.alertmanagerConfigSelector",
      observed: selector.exists ? selector.json() : "none, which takes nothing",
      expected: `one that takes the labels ${JSON.stringify(wanted)}`,
    });
  }
  if (namespaces.exists && namespaces.json() !== "{}") {
    const own = snapshot.list("namespaces").find(({ metadata }) => metadata.name === namespace);
    if (!selectsLabels(namespaces, new Fields(own?.metadata.labels))) {
      refusals.push({
        object: ref,
        path: "spec.alertmanagerConfigNamespaceSelector",
        observed: namespaces.json(),
        expected: `one that takes the namespace ${namespace}`,
      });
    }
  }
  return refusals;
}
