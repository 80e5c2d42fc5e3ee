// Merge patches that a move writes to objects of the hub's cluster, and those that take them back. Pure.
import type { Manifest, NotedAgent } from "./manifest.ts";

const noteAnnotation = "fairlead.dev/argocd-agent";
const typeLabel = "argocd.argoproj.io/secret-type";
const sourceUid = "argocd.argoproj.io/source-uid";
const lastUpdated = "argocd-agent.argoproj.io/last-updated";

export type Patch = { readonly metadata: { readonly labels?: object; readonly annotations?: object } };

/** Notes on the agent's Secret how to start the agent again. Written before it is stopped. */
export function noteAgent(agent: NotedAgent): Patch {
  return { metadata: { annotations: { [noteAnnotation]: JSON.stringify(agent) } } };
}

export function readNote({ annotations = {} }: Manifest["metadata"]): NotedAgent | undefined {
  try {
    const { namespace, name, replicas } = JSON.parse(annotations[noteAnnotation] ?? "null") as NotedAgent;
    const isWhole = typeof namespace === "string" && typeof name === "string" && Number.isInteger(replicas);
    return isWhole ? { namespace, name, replicas } : undefined;
  } catch {
    return undefined;
  }
}

/** The principal forgets an agent whose Secret is no cluster's any more. Its content stays where it is. */
export const hideSecret: Patch = { metadata: { labels: { [typeLabel]: null } } };
export const showSecret: Patch = { metadata: { labels: { [typeLabel]: "cluster" } } };
export const forgetAgent: Patch = { metadata: { annotations: { [noteAnnotation]: null } } };

/** Makes the principal's copy of an autonomous cluster's object a mirror; undefined where it names no source. */
export function toMirror(
  { kind, metadata: { name, annotations = {} } }: Manifest,
  { cluster, namespace }: { readonly cluster: string; readonly namespace: string },
): Patch | undefined {
  const uid = annotations[sourceUid];
  const there = kind === "AppProject" ? name.slice(cluster.length + 1) : name;
  if (uid === undefined) return undefined;
  return {
    metadata: {
      labels: { "fairlead.dev/cluster": cluster, "fairlead.dev/ignore-sync": "true" },
      annotations: {
        "fairlead.dev/source-uid": uid,
        "fairlead.dev/source-name": `${namespace}/${there}`,
        // A principal that goes on for other clusters puts back what has this one.
        [sourceUid]: null,
        [lastUpdated]: null,
      },
    },
  };
}

/** Makes a mirror the principal's copy again. */
export function toCopy({ metadata: { annotations = {} } }: Manifest): Patch {
  const ours = Object.keys(annotations).filter((name) => name.startsWith("fairlead.dev/"));
  return {
    metadata: {
      labels: { "fairlead.dev/cluster": null, "fairlead.dev/ignore-sync": null },
      annotations: {
        ...Object.fromEntries(ours.map((name) => [name, null])),
        [sourceUid]: annotations["fairlead.dev/source-uid"],
      },
    },
  };
}

/** Whether the principal made it for an object of an autonomous cluster. */
export function isPrincipalsCopy({ metadata: { annotations = {} } }: Manifest): boolean {
  return [sourceUid, lastUpdated].some((mark) => annotations[mark] !== undefined);
}

export function isMirrorOf(cluster: string, { metadata: { labels = {} } }: Manifest): boolean {
  return labels["fairlead.dev/cluster"] === cluster;
}

export type CopiedKind = "Application" | "AppProject";
