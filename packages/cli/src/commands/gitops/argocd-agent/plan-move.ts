// Turns an installation of argocd-agent into settings of clusters, and says what can't be taken over. Pure.
import type { GitopsMode, GitopsRules, PutGitopsSettingsRequest } from "@fairlead/contract";
import { isDnsLabel } from "@fairlead/kernel";
import type { AgentThere } from "./find-agent.ts";
import type { Manifest, NotedAgent } from "./manifest.ts";
import { isPrincipalsCopy } from "./marks.ts";
import type { AgentSecret, Installation } from "./read-installation.ts";

export interface Move {
  readonly clusters: readonly ClusterMove[];
  /** The problems of the installation as a whole. */
  readonly problems: readonly string[];
}

export interface ClusterMove {
  readonly cluster: string;
  /** The agent's Secret on the hub, as NAMESPACE/NAME. */
  readonly secret: string;
  readonly mode: Exclude<GitopsMode, "off"> | undefined;
  readonly applications: number;
  readonly state: "with-argocd-agent" | "begun" | "moved";
  /** Undefined where nobody looked into the cluster. */
  readonly agent: NotedAgent | undefined;
  /** Undefined: it can't be moved as it is. The problems say why. */
  readonly settings: PutGitopsSettingsRequest | undefined;
  readonly problems: readonly string[];
}

export type ToldModes = ReadonlyMap<string, Exclude<GitopsMode, "off">>;

export interface PlanOptions {
  /** The modes that a person told; they win over those that were found. */
  readonly modes: ToldModes;
  /** By cluster. Undefined: only the hub's objects are known. */
  readonly agents?: ReadonlyMap<string, AgentThere> | undefined;
}

export function planMove(found: Installation, options: PlanOptions): Move {
  const agents = [...found.agents].sort((one, other) => (one.agent < other.agent ? -1 : 1));
  const clusters = agents.map((agent) => planCluster(agent, found, options));
  return { clusters, problems: [...listGeneralProblems(found), ...found.projects.flatMap(listProjectProblems)] };
}

function planCluster(
  { agent, secret, namespace, noted, isHidden }: AgentSecret,
  found: Installation,
  { modes, agents }: PlanOptions,
): ClusterMove {
  const isByDestination = found.parameters["principal.destination-based-mapping"] === "true";
  const mapping = isByDestination ? "destination" : "namespace";
  const applications = found.applications.filter((application) =>
    isByDestination ? destinationOf(application) === agent : application.metadata.namespace === agent,
  );
  const there = agents?.get(agent);
  // argocd-agent has the mapping by destination for managed clusters alone.
  const guessed = isByDestination ? "managed" : findMode(applications);
  const mode = modes.get(agent) ?? (there?.is === "found" ? there.mode : guessed);
  const { rules, problems } = readRules(agent, applications);
  const blocking = [
    ...(isDnsLabel(agent)
      ? []
      : ["its name isn't one that a cluster may have: letters a-z, digits and dashes, 63 of them"]),
    ...(agent === namespace ? ["it has the name of Argo CD's own namespace"] : []),
    ...(isByDestination && mode === "autonomous" ? ["the mapping by destination is for managed clusters"] : []),
    ...(isByDestination ? listTwice(agent, applications) : []),
    ...(mode === undefined ? [`nothing here tells its mode: say it, --mode ${agent}=managed or =autonomous`] : []),
    ...(there?.is === "missing" ? [there.why] : []),
    ...(there?.is === "found" && there.here !== "off" && !isHidden
      ? [`its mode here is ${there.here} while argocd-agent has it: set that to off first`]
      : []),
  ];
  return {
    cluster: agent,
    secret: `${namespace}/${secret}`,
    mode,
    applications: applications.length,
    agent: noted ?? (there?.is === "found" ? there.agent : undefined),
    state:
      noted === undefined
        ? "with-argocd-agent"
        : isHidden && there?.is === "found" && there.here === mode
          ? "moved"
          : "begun",
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
  if (applications.every(isPrincipalsCopy)) return "autonomous";
  return applications.some(isPrincipalsCopy) ? undefined : "managed";
}

/** Fairlead has one rule for a cluster, argocd-agent one for an application. */
function readRules(
  cluster: string,
  applications: readonly Manifest[],
): { readonly rules: Partial<GitopsRules>; readonly problems: readonly string[] } {
  const mismatch = share(applications, "argocd.argoproj.io/source-uid-mismatch-policy", "recreate");
  const adoption = share(applications, "argocd.argoproj.io/adoption-policy", "always");
  const problems = [
    ...(mismatch === "differ" ? ["its applications have several mismatch policies; it gets `recreate`"] : []),
    ...(adoption === "differ" ? ["its applications have several adoption policies; it gets `always`"] : []),
    // To Fairlead the copies of argocd-agent belong to nobody, so it would leave them alone.
    ...(adoption === "never"
      ? [
          `its applications are to adopt nothing: set that once it is moved, fairlead cluster set ${cluster} --gitops-adoption never`,
        ]
      : []),
  ];
  return { rules: mismatch === "upsert" ? { onUidMismatch: "upsert" } : {}, problems };
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

function listGeneralProblems({ agents, parameters, blocked, certificates }: Installation): string[] {
  const selector = parameters["principal.label-selector"] ?? "";
  return [
    ...(agents.length === 0 ? ["there is no Secret of a cluster with an agent's name: nothing is to be moved"] : []),
    ...(selector === "" ? [] : [`the principal selects by the label ${selector}; Fairlead exchanges all applications`]),
    ...(blocked === 0
      ? []
      : [`the principal doesn't let ${blocked} certificates in: give the clusters that they are of no join token`]),
    ...(certificates.length === 0
      ? []
      : [`nothing needs these certificates and keys once all clusters are moved: ${certificates.join(", ")}`]),
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

const oldIgnore = "argocd-agent.argoproj-labs.io/ignore-sync";
const newIgnore = "fairlead.dev/ignore-sync";
