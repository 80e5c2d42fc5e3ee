import { Fields } from "@fairlead/kernel";
import { destructive, type Fix, kubectl, safe, script, type Words } from "../../checks/index.ts";
import type { PoolDemand } from "../../profiles/index.ts";
import type { Snapshot } from "../../snapshot/index.ts";
import { karpenterNodePools } from "../karpenter-pools.ts";
import type { NodePool } from "../node-pool.ts";
import { formatTaint, isHard } from "../taints.ts";
import { isDemanded } from "./judge-demand.ts";

/** Makes a pool what is demanded: a patch of Karpenter's NodePool; elsewhere kubectl, for the nodes that are there. */
export function fixPool(pool: NodePool, demand: PoolDemand): Fix | undefined {
  return pool.object
    ? {
        is: "patch",
        risk: replacesNodes,
        object: pool.object,
        type: "merge",
        patch: { spec: { template: templateFor(pool, demand) } },
      }
    : commandFor(pool, demand);
}

/** A new NodePool, with the node class of one that is there: without any, nobody can say how nodes are made. */
export function createPool(name: string, demand: PoolDemand, snapshot: Snapshot): Fix | undefined {
  const [model] = snapshot
    .listSeen(karpenterNodePools)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const nodeClassRef = new Fields(model).at("spec", "template", "spec", "nodeClassRef").raw;
  if (!model || nodeClassRef === undefined) return undefined;
  const { metadata, spec } = templateFor({ labels: {}, taints: [], requirements: [] }, demand);
  return {
    is: "manifest",
    risk: safe,
    objects: [
      {
        apiVersion: model.apiVersion ?? "karpenter.sh/v1",
        kind: "NodePool",
        metadata: { name },
        spec: { template: { metadata, spec: { nodeClassRef, ...spec } } },
      },
    ],
  };
}

type Template = Pick<NodePool, "labels" | "taints" | "requirements">;

/** Lists are whole, since a merge patch replaces them. */
function templateFor(
  { labels, taints, requirements }: Template,
  demand: PoolDemand,
): { metadata: object; spec: object } {
  const demanded = demand.taints.map(({ key, value = "", effect = "NoSchedule" }) => ({
    key,
    ...(value !== "" && { value }),
    effect,
  }));
  const others = taints.filter(({ key }) => !demand.taints.some((taint) => taint.key === key));
  const fitting = taints.filter((own) => demand.taints.some((taint) => isDemanded(taint, own)));
  const added = demanded.filter((taint) => !fitting.some(({ key }) => key === taint.key));
  const kept = demand.taints.length === 0 ? taints.filter((taint) => !isHard(taint)) : [...others, ...fitting];
  const wanted = [
    { key: "kubernetes.io/arch", operator: "In", values: [...demand.architectures] },
    { key: "kubernetes.io/os", operator: "In", values: ["linux"] },
    { key: "karpenter.sh/capacity-type", operator: "In", values: [...demand.capacityTypes] },
  ];
  return {
    metadata: { labels: { ...labels, ...demand.labels } },
    spec: {
      taints: [...kept.map(({ key, value, effect }) => ({ key, ...(value !== "" && { value }), effect })), ...added],
      requirements: [
        ...requirements
          .filter(({ key }) => !wanted.some((requirement) => requirement.key === key))
          .map(({ key, operator, values }) => ({ key, operator, ...(values.length > 0 && { values }) })),
        ...wanted,
      ],
    },
  };
}

/** Nodes that the provider makes later need the same in the node group's own settings. */
function commandFor({ nodes, taints, labels }: NodePool, demand: PoolDemand): Fix | undefined {
  if (nodes.length === 0) return undefined;
  const names = nodes.map(({ name }) => name);
  const foreign = demand.taints.length === 0 ? taints.filter(isHard) : [];
  const changes = [
    ...foreign.map((taint) => change("taint", names, `${taint.key}:${taint.effect}-`)),
    ...demand.taints
      .filter((taint) => !taints.some((own) => isDemanded(taint, own)))
      .map(({ key, value = "", effect = "NoSchedule" }) =>
        change("taint", names, formatTaint({ key, value: value || "true", effect })),
      ),
    ...Object.entries(demand.labels)
      .filter(([key, value]) => labels[key] !== value)
      .map(([key, value]) => change("label", names, `${key}=${value}`)),
  ];
  return changes.length === 0 ? undefined : { is: "command", risk: movesPods, command: script(changes) };
}

function change(verb: "taint" | "label", names: readonly string[], what: string): Words {
  return kubectl({ verb: [verb], options: ["--overwrite"], args: ["nodes", ...names, what] });
}

const replacesNodes = destructive("Karpenter replaces the nodes of this pool, and their pods move.");
const movesPods = destructive("Other pods may run on these nodes afterwards, and some that run there may have to go.");
