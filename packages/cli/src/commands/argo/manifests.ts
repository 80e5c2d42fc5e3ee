// Argo CD's objects as people write them for Kubernetes, in one or several documents of YAML.
import type { ArgoObjectKind, ArgoObjectName, PutArgoObjectRequest } from "@fairlead/contract";
import { parseAllDocuments } from "yaml";
import { usage } from "../../errors.ts";
import { readText } from "../../files/index.ts";
import { readAll, type Terminal } from "../../terminal.ts";

export interface ArgoManifest {
  readonly of: ArgoObjectName;
  readonly request: PutArgoObjectRequest;
}

/** The hub checks all but the kinds. */
export async function readManifests(terminal: Pick<Terminal, "stdin">, file: string): Promise<readonly ArgoManifest[]> {
  const text = file === "-" ? await readAll(terminal.stdin) : await readText(file);
  const documents = parseAllDocuments(text);
  const problem = documents.flatMap(({ errors }) => errors)[0];
  if (problem) throw usage(`${file} isn't valid YAML: ${problem.message.split("\n")[0]}`);
  const values = documents.map((document): unknown => document.toJS()).filter((value) => value !== null);
  const manifests = values.map(toManifest);
  if (manifests.length === 0) throw usage(`The file ${file} is empty.`);
  return manifests.map((manifest) => {
    if (manifest === undefined) throw usage(`${file} contains something that isn't an Argo CD object.`, example);
    return manifest;
  });
}

function toManifest(value: unknown): ArgoManifest | undefined {
  const { kind: written, metadata, spec, data, stringData } = (value ?? {}) as Partial<Written>;
  const { name, labels, annotations } = metadata ?? {};
  const kind = kindOf(written, name);
  if (kind === undefined || name === undefined) return undefined;
  const described = { ...(labels && { labels }), ...(annotations && { annotations }) };
  if (kind === "projects") return { of: { kind, name }, request: { ...described, spec: spec ?? {} } };
  const values = written === "Secret" ? { ...decode(data), ...stringData } : (data ?? {});
  return { of: { kind, name }, request: { ...described, data: values } };
}

function kindOf(written: string | undefined, name: string | undefined): ArgoObjectKind | undefined {
  if (written === "AppProject") return "projects";
  if (written === "Secret") return "repositories";
  return written === "ConfigMap" ? configMaps.get(name ?? "") : undefined;
}

function decode(data: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value, "base64").toString()]),
  );
}

interface Written {
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, string>>;
  readonly stringData: Readonly<Record<string, string>>;
}

const configMaps: ReadonlyMap<string, ArgoObjectKind> = new Map([
  ["argocd-gpg-keys-cm", "gpg-keys"],
  ["argocd-ssh-known-hosts-cm", "known-hosts"],
  ["argocd-tls-certs-cm", "tls-certs"],
]);
const example =
  "Known are AppProjects, Secrets of repositories, and the ConfigMaps with GPG keys, known hosts and certificates.";
