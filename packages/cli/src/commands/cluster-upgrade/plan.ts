// Versions in, waves of actions out. Nothing here asks anybody.
import type { ClusterState, Labels, Role } from "@fairlead/contract";
import type { Installation, Release } from "./installation.ts";
import { compareAgent } from "./versions.ts";

/** A cluster as the hub sees it. */
export interface SeenCluster {
  readonly name: string;
  readonly labels: Labels;
  readonly state: ClusterState;
  /** The agents whose links the hub uses. */
  readonly agents: readonly SeenAgent[];
}

export interface SeenAgent {
  readonly roles: readonly Role[];
  readonly version: string;
}

/** A cluster as its own API server shows it, or why it can't be looked at. */
export type Look = { readonly installation: Installation } | { readonly why: string; readonly hint: string };

/** The chart that agents are upgraded to. */
export interface Goal {
  readonly chartVersion: string;
  /** The version of the agent's images, which agents tell the hub. */
  readonly version: string;
}

export type Action =
  | { readonly is: "upgrade"; readonly upgrade: PlannedUpgrade }
  /** It runs this version already. */
  | { readonly is: "current" }
  /** Something else than this command installs the agent; the lines say what to change there. */
  | { readonly is: "edit"; readonly where: string; readonly lines: readonly string[] }
  | { readonly is: "unusable"; readonly why: string; readonly hint: string };

export interface PlannedUpgrade {
  readonly cluster: SeenCluster;
  readonly release: Release;
  /** The roles of the release that are live now; the upgrade succeeds when all of them are live again. */
  readonly roles: readonly Role[];
  readonly from: readonly string[];
}

export interface PlannedCluster {
  readonly cluster: SeenCluster;
  readonly action: Action;
}

/** Undefined where only a look at the cluster can say what to do. */
export function judgeUnseen(cluster: SeenCluster, goal: Goal): Action | undefined {
  const { name, state, agents } = cluster;
  if (agents.length === 0)
    return {
      is: "unusable",
      why: `it is ${state}, so it can't be checked whether its new agent works`,
      hint: `'fairlead cluster get ${name}' says more.`,
    };
  return runs(agents, goal) ? { is: "current" } : undefined;
}

export function judgeSeen(cluster: SeenCluster, look: Look, goal: Goal): Action {
  if ("why" in look) return { is: "unusable", ...look };
  const { installation } = look;
  switch (installation.by) {
    case "helm":
      return upgradeByHelm(cluster, installation.release, goal);
    case "argo-cd":
      return edit(`the Argo CD application '${installation.application}'`, "targetRevision", goal);
    case "flux": {
      const { kind, namespace, name } = installation;
      const field = kind === "HelmRelease" ? "spec.chart.spec.version" : "version";
      return edit(`Flux's ${kind} '${namespace}/${name}'`, field, goal);
    }
    case "unknown":
      return edit("whatever installed it, which isn't a release of Helm's", "version", goal);
    case "nothing":
      return {
        is: "unusable",
        why: "it has no Deployment of the agent's chart",
        hint: "If the agent runs as a process, upgrade it where it runs.",
      };
    default:
      return installation satisfies never;
  }
}

function upgradeByHelm(cluster: SeenCluster, release: Release, goal: Goal): Action {
  const { name, namespace, status, pinned } = release;
  const place = `${namespace}/${name}`;
  const agents = cluster.agents.filter(({ roles }) => roles.some((role) => release.roles.includes(role)));
  if (agents.length === 0)
    return {
      is: "unusable",
      why: `no role of the release ${place} is live`,
      hint: `'fairlead cluster get ${cluster.name}' shows which agents are.`,
    };
  if (runs(agents, goal)) return { is: "current" };
  if (status !== "deployed" && status !== "failed")
    return {
      is: "unusable",
      why: `the release ${place} is ${status}: a Helm operation is in progress, or was interrupted`,
      hint: `'helm history ${name} --namespace ${namespace}' shows it, and 'helm rollback' ends an interrupted operation.`,
    };
  const [pin] = pinned;
  if (pin !== undefined)
    return {
      is: "unusable",
      why: `its values pin the image (${pinned.join(", ")}), so a new chart would change nothing`,
      hint: `Give the one of ${goal.version} with --set-string ${pin}=…, or let the chart choose it with --set-string ${pin}= (empty).`,
    };
  const roles = [...new Set(agents.flatMap((agent) => agent.roles))].filter((role) => release.roles.includes(role));
  return { is: "upgrade", upgrade: { cluster, release, roles, from: versionsOf(agents) } };
}

function runs(agents: readonly SeenAgent[], { version }: Goal): boolean {
  return agents.every((agent) => compareAgent(agent.version, version) === "same");
}

function edit(where: string, field: string, { chartVersion }: Goal): Action {
  return { is: "edit", where, lines: [`${field}: ${chartVersion}`] };
}

/** Each once. */
export function versionsOf(agents: readonly SeenAgent[]): string[] {
  return [...new Set(agents.map(({ version }) => version))].sort();
}

export function upgradesOf(planned: readonly PlannedCluster[]): PlannedUpgrade[] {
  return planned.flatMap(({ action }) => (action.is === "upgrade" ? [action.upgrade] : []));
}
