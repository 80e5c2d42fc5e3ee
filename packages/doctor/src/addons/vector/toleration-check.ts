import { Fields } from "@fairlead/kernel";
import { type Check, type CheckInput, fail, few, pass, safe, type Verdict } from "../../checks/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import type { Workload } from "../../workloads/index.ts";
import { collectorsOf } from "./judge-config.ts";

export const tolerationsCheck: Check = {
  id: "vector.tolerations",
  title: "Vector runs on all nodes, whatever their taints",
  why: "Pods on a node without Vector leave no logs. Its chart tolerates no taint by default, so that GPU nodes and those for critical workloads are left out.",
  severity: "recommended",
  features: ["logs"],
  appliesTo: (input) => collectorsOf(input).length > 0,
  judge: (input) => judgeTolerations(input),
};

interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

function judgeTolerations(input: CheckInput): Verdict {
  const agents = collectorsOf(input);
  const path = "spec.template.spec.tolerations";
  if (agents.some((agent) => toleratesAll(tolerationsOf(agent)))) return pass("It tolerates every taint.");
  const taints = [...taintsOfNodes(input), ...taintsOfProfile(input)];
  const missing = taints.filter(
    (taint) => !agents.some((agent) => tolerationsOf(agent).some((each) => tolerates(each, taint))),
  );
  if (missing.length === 0) return pass("It tolerates all taints that are there, and those of the profile.");
  const names = [...new Set(missing.map(({ key, effect }) => `${key}:${effect}`))].toSorted();
  const evidence = few(agents).map(
    (agent): Evidence => ({
      object: agent.ref,
      path,
      observed: new Fields(agent.object).at("spec", "template", "spec", "tolerations").json().slice(0, 500) || "none",
      expected: `one for ${few(names).join(", ")}`,
    }),
  );
  return fail("Pods on some nodes leave no logs.", evidence, {
    is: "helm-values",
    risk: safe,
    chart: "vector",
    values: { tolerations: [{ operator: "Exists" }] },
  });
}

function tolerationsOf({ object }: Workload): Fields[] {
  return new Fields(object).at("spec", "template", "spec", "tolerations").list();
}

/** Without key and effect at once, or one for each effect. */
function toleratesAll(tolerations: readonly Fields[]): boolean {
  const blanket = tolerations.filter((each) => each.at("operator").text() === "Exists" && !each.at("key").text());
  const effects = blanket.map((each) => each.at("effect").text());
  return effects.includes(undefined) || (effects.includes("NoSchedule") && effects.includes("NoExecute"));
}

function tolerates(toleration: Fields, { key, value, effect }: Taint): boolean {
  const itsEffect = toleration.at("effect").text();
  if (itsEffect !== undefined && itsEffect !== effect) return false;
  const itsKey = toleration.at("key").text();
  if (toleration.at("operator").text() === "Exists") return itsKey === undefined || itsKey === key;
  return itsKey === key && (toleration.at("value").text() ?? "") === value;
}

/** Taints of what happens to a node for a while are tolerated by every DaemonSet. */
function taintsOfNodes({ snapshot }: CheckInput): Taint[] {
  return snapshot
    .list("nodes")
    .flatMap((node) => new Fields(node).at("spec", "taints").list())
    .map((taint) => ({
      key: taint.at("key").text() ?? "",
      value: taint.at("value").text() ?? "",
      effect: taint.at("effect").text() ?? "",
    }))
    .filter(({ key, effect }) => effect !== "PreferNoSchedule" && !key.startsWith("node.kubernetes.io/"));
}

/** Their nodes may come later. */
function taintsOfProfile({ profile }: CheckInput): Taint[] {
  return Object.values(profile.nodePools)
    .flatMap((pool) => pool?.taints ?? [])
    .map(({ key, value = "", effect = "NoSchedule" }) => ({ key, value, effect }));
}
