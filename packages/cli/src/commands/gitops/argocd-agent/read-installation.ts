// An installation of argocd-agent as the hub's cluster has it, from its objects: `cluster-…` Secrets, Applications,
// AppProjects, the principal's Deployment and the ConfigMaps with its parameters. Of Secrets only metadata is read. Pure.
import { parseAllDocuments } from "yaml";
import { usage } from "../../../errors.ts";
import type { Manifest, NotedAgent } from "./manifest.ts";
import { readNote } from "./marks.ts";
import { readParameters } from "./parameters.ts";

export interface Installation {
  readonly agents: readonly AgentSecret[];
  readonly applications: readonly Manifest[];
  readonly projects: readonly Manifest[];
  /** The principal's parameters, by key. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Secrets with certificates and keys, which nothing needs once all is moved: NAMESPACE/NAME. */
  readonly certificates: readonly string[];
  /** Certificates of agents that the principal doesn't let in. */
  readonly blocked: number;
}

export interface AgentSecret {
  readonly agent: string;
  readonly secret: string;
  readonly namespace: string;
  /** A move that has begun noted how to start the agent again. */
  readonly noted: NotedAgent | undefined;
  /** A move took it from Argo CD's list of clusters. */
  readonly isHidden: boolean;
}

/** Throws CLI_USAGE. */
export function readInstallation(texts: readonly { readonly file: string; readonly text: string }[]): Installation {
  return toInstallation(texts.flatMap(({ file, text }) => readObjects(file, text)));
}

export function toInstallation(objects: readonly Manifest[]): Installation {
  const ofKind = (kind: string): Manifest[] => objects.filter((object) => object.kind === kind);
  const blocklist = ofKind("ConfigMap").find(({ metadata }) => metadata.name === "argocd-agent-tls-blocklist");
  return {
    agents: ofKind("Secret").flatMap(toAgent),
    applications: ofKind("Application"),
    projects: ofKind("AppProject"),
    parameters: readParameters({ deployments: ofKind("Deployment"), configMaps: ofKind("ConfigMap") }),
    certificates: ofKind("Secret").flatMap(toCertificate),
    blocked: Object.keys(blocklist?.data ?? {}).length,
  };
}

function readObjects(file: string, text: string): Manifest[] {
  const documents = parseAllDocuments(text);
  const problem = documents.flatMap(({ errors }) => errors)[0];
  if (problem) throw usage(`${file} isn't valid YAML: ${problem.message.split("\n")[0]}`);
  return documents.flatMap((document) => toObjects(document.toJS())).filter(isManifest);
}

/** kubectl prints several as one List. */
function toObjects(value: unknown): unknown[] {
  const items = (value as { readonly items?: unknown } | null)?.items;
  return Array.isArray(items) ? items : [value];
}

function isManifest(value: unknown): value is Manifest {
  return typeof (value as Partial<Manifest> | null)?.metadata?.name === "string";
}

function toAgent({ metadata }: Manifest): AgentSecret[] {
  const { name, namespace = "", labels = {} } = metadata;
  const agent = labels["argocd-agent.argoproj-labs.io/agent-name"] ?? "";
  const noted = readNote(metadata);
  const isHidden = labels["argocd.argoproj.io/secret-type"] !== "cluster";
  if (agent === "" || (isHidden && noted === undefined)) return [];
  // They are part of commands that people copy.
  if (![name, namespace].every((text) => /^[a-z0-9.-]+$/.test(text))) return [];
  return [{ agent, secret: name, namespace, noted, isHidden }];
}

function toCertificate({ metadata: { name, namespace = "" } }: Manifest): string[] {
  return name.startsWith("argocd-agent-") ? [`${namespace}/${name}`] : [];
}
