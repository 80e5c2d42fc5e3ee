// An installation of argocd-agent as the hub's cluster has it, from what kubectl prints: `cluster-…` Secrets, Applications,
// AppProjects, and the ConfigMap with the principal's parameters. Of Secrets only names, labels and addresses are read.
import { parseAllDocuments } from "yaml";
import { usage } from "../../../errors.ts";

export interface Installation {
  readonly agents: readonly AgentSecret[];
  readonly applications: readonly Manifest[];
  readonly projects: readonly Manifest[];
  /** Of the principal, by key. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface AgentSecret {
  readonly agent: string;
  readonly secret: string;
  readonly namespace: string;
}

export interface Manifest {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}

/** Throws CLI_USAGE. */
export function readInstallation(texts: readonly { readonly file: string; readonly text: string }[]): Installation {
  const objects = texts.flatMap(({ file, text }) => readObjects(file, text));
  const ofKind = (kind: string): Manifest[] => objects.filter((object) => object.kind === kind);
  const parameters = ofKind("ConfigMap").filter(({ metadata }) => metadata.name === "argocd-agent-params");
  return {
    agents: ofKind("Secret").flatMap(toAgent),
    applications: ofKind("Application"),
    projects: ofKind("AppProject"),
    parameters: Object.assign({}, ...parameters.map(({ data }) => data ?? {})),
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

function toAgent({ metadata: { name, namespace = "", labels = {} } }: Manifest): AgentSecret[] {
  const agent = labels["argocd-agent.argoproj-labs.io/agent-name"] ?? "";
  if (labels["argocd.argoproj.io/secret-type"] !== "cluster" || agent === "") return [];
  // They are part of commands that people copy.
  if (![name, namespace].every((text) => /^[a-z0-9.-]+$/.test(text))) return [];
  return [{ agent, secret: name, namespace }];
}
