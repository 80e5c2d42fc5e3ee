// What of an installation of argocd-agent becomes which settings of clusters, and what can't be taken over. Pure.
import type { GitopsMode, GitopsRules, PutGitopsSettingsRequest } from "@fairlead/contract";
import { isDnsLabel } from "@fairlead/kernel";
import type { AgentSecret, Installation, Manifest } from "./read-installation.ts";

export interface Move {
  readonly clusters: readonly ClusterMove[];
  /** Of the installation as a whole. */
  readonly problems: readonly string[];
}

export interface ClusterMove {
  readonly cluster: string;
  /** To be removed on the hub before the cluster gets its mode. */
  readonly secret: string;
  readonly mode: Exclude<GitopsMode, "off"> | undefined;
  readonly applications: number;
  /** Undefined: it can't be moved as it is. The problems say why. */
  readonly settings: PutGitopsSettingsRequest | undefined;
  readonly problems: readonly string[];
}

export type ToldModes = ReadonlyMap<string, Exclude<GitopsMode, "off">>;

export function planMove(found: Installation, modes: ToldModes): Move {
  const agents = [...found.agents].sort((one, other) => (one.agent < other.agent ? -1 : 1));
  const clusters = agents.map((agent) => planCluster(agent, found, modes));
  return { clusters, problems: [...listGeneralProblems(found), ...found.projects.flatMap(listProjectProblems)] };
}

function planCluster({ agent, secret, namespace }: AgentSecret, found: Installation, modes: ToldModes): ClusterMove {
  const isByDestination = found.parameters["principal.destination-based-mapping"] === "true";
  const mapping = isByDestination ? "destination" : "namespace";
  const applications = found.applications.filter((application) =>
    isByDestination ? destinationOf(application) === agent : application.metadata.namespace === agent,
  );
  // argocd-agent has that mapping for managed clusters alone.
  const mode = modes.get(agent) ?? (isByDestination ? "managed" : findMode(applications));
  const { rules, problems } = readRules(applications);
  const blocking = [
    ...(isDnsLabel(agent)
      ? []
      : ["its name isn't one that a cluster may have: letters a-z, digits and dashes, 63 of them"]),
    ...(agent === namespace ? ["it has the name of Argo CD's own namespace"] : []),
    ...(isByDestination && mode === "autonomous" ? ["the mapping by destination is for managed clusters"] : []),
    ...(isByDestination ? listTwice(agent, applications) : []),
    ...(mode === undefined ? [`nothing here tells its mode: say it, --mode ${agent}=managed or =autonomous`] : []),
  ];
  return {
    ...{ cluster: agent, secret: `${namespace}/${secret}`, mode, applications: applications.length },
    settings: mode !== undefined && blocking.length === 0 ? { mode, mapping, rules } : undefined,
    problems: [
      ...blocking,
      ...(isByDestination ? listNamespaces(namespace, applications) : []),
      ...problems,
      ...listIgnored(applications),
    ],
  };
}

/** The principal marks what it copied from an autonomous cluster, and nothing else. */
function findMode(applications: readonly Manifest[]): ClusterMove["mode"] {
  if (applications.length === 0) return undefined;
  const isCopied = ({ metadata: { annotations = {} } }: Manifest): boolean =>
    copyMarks.some((mark) => annotations[mark] !== undefined);
  if (applications.every(isCopied)) return "autonomous";
  return applications.some(isCopied) ? undefined : "managed";
}

/** Fairlead has one rule for a cluster, argocd-agent one for an application. */
function readRules(applications: readonly Manifest[]): {
  readonly rules: Partial<GitopsRules>;
  readonly problems: readonly string[];
} {
  const mismatch = share(applications, "argocd.argoproj.io/source-uid-mismatch-policy", "recreate");
  const adoption = share(applications, "argocd.argoproj.io/adoption-policy", "always");
  const problems = [
    ...(mismatch === "differ" ? ["its applications have several mismatch policies; it gets `recreate`"] : []),
    ...(adoption === "differ" ? ["its applications have several adoption policies; it gets `always`"] : []),
  ];
  const rules = {
    ...(mismatch === "upsert" ? { onUidMismatch: "upsert" as const } : {}),
    ...(adoption === "never" ? { adoption: "never" as const } : {}),
  };
  return { rules, problems };
}

function share(applications: readonly Manifest[], annotation: string, usual: string): string {
  const values = new Set(applications.map(({ metadata }) => metadata.annotations?.[annotation] ?? usual));
  return values.size > 1 ? "differ" : ([...values][0] ?? usual);
}

function listIgnored(applications: readonly Manifest[]): string[] {
  return applications
    .filter(({ metadata: { labels = {} } }) => labels[oldIgnore] === "true" && labels[newIgnore] !== "true")
    .map(
      ({ metadata: { name } }) => `${name} has the label ${oldIgnore}: give it ${newIgnore}=true, or it is exchanged`,
    );
}

function destinationOf({ spec = {} }: Manifest): string | undefined {
  return (spec["destination"] as Destination | undefined)?.name;
}

/** Their copies are in that namespace in the cluster; Fairlead has them in Argo CD's own. */
function listTwice(agent: string, applications: readonly Manifest[]): string[] {
  const names = applications
    .filter(({ metadata }) => metadata.namespace === agent)
    .map(({ metadata }) => metadata.name);
  if (names.length === 0) return [];
  return [`${names.join(", ")} in the namespace ${agent} would be made a second time: move them to another one first`];
}

function listNamespaces(argoNamespace: string, applications: readonly Manifest[]): string[] {
  const namespaces = new Set(applications.map(({ metadata: { namespace = "" } }) => namespace));
  namespaces.delete(argoNamespace);
  if (namespaces.size === 0) return [];
  return [`tell the hub and its agent: --argo-application-namespaces ${[...namespaces].sort().join(",")}`];
}

function listGeneralProblems({ agents, parameters }: Installation): string[] {
  const selector = parameters["principal.label-selector"] ?? "";
  return [
    ...(agents.length === 0 ? ["there is no Secret of a cluster with an agent's name: nothing is to be moved"] : []),
    ...(selector === "" ? [] : [`the principal selects by the label ${selector}; Fairlead exchanges all applications`]),
  ];
}

function listProjectProblems({ metadata: { name }, spec = {} }: Manifest): string[] {
  const destinations = Array.isArray(spec["destinations"]) ? (spec["destinations"] as Destination[]) : [];
  return destinations
    .filter(({ name: cluster, server }) => !cluster && server?.includes("?agentName="))
    .map(({ server }) => `the project ${name} names a cluster by ${server}: write its name instead`);
}

interface Destination {
  readonly name?: string;
  readonly server?: string;
}

const copyMarks = ["argocd-agent.argoproj.io/last-updated", "argocd.argoproj.io/source-uid"];
const oldIgnore = "argocd-agent.argoproj-labs.io/ignore-sync";
const newIgnore = "fairlead.dev/ignore-sync";
