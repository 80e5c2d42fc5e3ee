// Features that need more than addons: nodes with accelerators, or pools that make some.
import type { FeatureId, FeatureState } from "../features/index.ts";
import type { GpuStock, NodePool } from "../pools/index.ts";
import type { Snapshot } from "../snapshot/index.ts";

export interface HardwareFinding {
  readonly state: Extract<FeatureState, "available" | "blocked" | "unknown">;
  readonly message: string;
}

/** By the features that need it. */
export type Hardware = ReadonlyMap<FeatureId, HardwareFinding>;

export interface FindHardwareOptions {
  readonly snapshot: Snapshot;
  readonly gpus: readonly GpuStock[];
  readonly nodePools: readonly NodePool[];
}

export function findHardware(options: FindHardwareOptions): Hardware {
  return new Map(
    kinds.flatMap((kind) => {
      const finding = findKind(kind, options);
      return kind.features.map((feature) => [feature, finding] as const);
    }),
  );
}

interface Kind {
  readonly features: readonly FeatureId[];
  /** In messages. */
  readonly device: string;
  readonly resource: RegExp;
  /** Instance types of AWS that have it, by their first letters. */
  readonly types: RegExp;
}

const kinds: readonly Kind[] = [
  { features: ["gpu", "gpu-metrics"], device: "a GPU", resource: /^nvidia\.com\//, types: /^[gp](\d|$)/ },
  { features: ["neuron"], device: "a Neuron device", resource: /^aws\.amazon\.com\/neuron/, types: /^(inf|trn)(\d|$)/ },
];

function findKind(kind: Kind, { snapshot, gpus, nodePools }: FindHardwareOptions): HardwareFinding {
  const { device, resource, types } = kind;
  const nodes = nodePools.flatMap((pool) => pool.nodes);
  const has =
    gpus.some((stock) => resource.test(stock.resource)) ||
    nodes.some(({ labels }) => types.test(labels["node.kubernetes.io/instance-type"] ?? "-")) ||
    nodePools.some((pool) => mayMake(pool, types));
  if (has) return { state: "available", message: `There are nodes with ${device}, or a pool that makes them.` };
  const unseen = ["nodes", "nodepools.karpenter.sh"].find((each) => !snapshot.isWhole(each));
  if (unseen !== undefined) return doubt(`Not all ${unseen} could be read, and some may have ${device}.`);
  const empty = nodePools.find(({ nodes: own, growth }) => own.length === 0 && growth.is === "nodes" && growth.max > 0);
  if (empty) return doubt(`The node group ${empty.name} has no node that says whether it has ${device}.`);
  // Google makes nodes of any kind for pods that ask for them.
  if (nodes.some(({ name }) => name.startsWith("gk3-"))) return doubt(`Autopilot may make nodes with ${device}.`);
  return { state: "blocked", message: `No node has ${device}, and no pool makes such nodes.` };
}

const doubt = (message: string): HardwareFinding => ({ state: "unknown", message });

/** Karpenter's pools make nodes of every kind that they don't exclude. */
function mayMake({ source, requirements, purpose }: NodePool, types: RegExp): boolean {
  if (source !== "karpenter") return false;
  const ofTypes = requirements.filter(({ key }) => /\/instance-(category|family|type|gpu-|accelerator-)/.test(key));
  if (ofTypes.length === 0) return true;
  return purpose === "gpu" || ofTypes.some(({ values }) => values.some((value) => types.test(value)));
}
