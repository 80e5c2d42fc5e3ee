// Works on the YAML document rather than on its value, so that comments, order and spelling of what isn't ours stay.
import { isRecord } from "@fairlead/kernel";
import { type Document, isMap, isScalar, isSeq, parseDocument, Scalar, visit, type YAMLMap, type YAMLSeq } from "yaml";
import { cliErrors } from "../errors.ts";
import { type KubeconfigEntries, readOwner } from "./entries.ts";

export interface MergeOptions {
  /** For messages. */
  readonly file: string;
  /** The file's text now; empty for a new file. */
  readonly text: string;
  readonly entries: readonly KubeconfigEntries[];
}

/** The file's new text. Throws rather than touch an entry that isn't marked as ours, of the same hub and cluster. */
export function mergeKubeconfig({ file, text, entries }: MergeOptions): string {
  const document = openDocument(file, text);
  for (const entry of entries) {
    for (const section of sections) upsert(document, file, section, entry);
  }
  const current = document.get("current-context");
  if ((current === undefined || current === null || current === "") && entries[0]) {
    document.set("current-context", quoted(document, entries[0].name));
  }
  return document.toString({ lineWidth: 0 });
}

/** True when every entry in the text is one of ours, so that nothing is lost by replacing it whole. */
export function isAllManaged(file: string, text: string): boolean {
  const document = openDocument(file, text);
  return sections.every((section) => {
    const list: unknown = openSection(document, file, section).toJS(document);
    return Array.isArray(list) && list.every((entry) => isRecord(entry) && readOwner(entry[bodyKeys[section]]));
  });
}

/** The file's text with the CA in all of our entries of the hub, and the names of these. */
export function refreshKubeconfig(options: {
  readonly file: string;
  readonly text: string;
  readonly hub: string;
  readonly ca: string | undefined;
}): { readonly text: string; readonly names: string[] } {
  const { file, text, hub, ca } = options;
  const document = openDocument(file, text);
  const names = openSection(document, file, "clusters").items.flatMap((item) => {
    if (!isMap(item) || readOwner(asRecord(item.toJS(document))["cluster"])?.hub !== hub) return [];
    const path = ["cluster", "certificate-authority-data"];
    if (ca === undefined) item.deleteIn(path);
    else item.setIn(path, quoted(document, Buffer.from(ca).toString("base64")));
    return [String(item.get("name"))];
  });
  return { text: document.toString({ lineWidth: 0 }), names };
}

type Section = "clusters" | "users" | "contexts";

const sections = ["clusters", "users", "contexts"] as const satisfies readonly Section[];
const bodyKeys = { clusters: "cluster", users: "user", contexts: "context" } as const;

function openDocument(file: string, text: string): Document {
  const document: Document = parseDocument(text);
  const [problem] = document.errors;
  if (problem) throw cliErrors.CLI_KUBECONFIG_INVALID({ file, why: "it isn't YAML", cause: problem });
  if (document.contents === null) document.contents = document.createNode({ apiVersion: "v1", kind: "Config" });
  if (!isMap(document.contents)) throw cliErrors.CLI_KUBECONFIG_INVALID({ file, why: "it isn't a mapping" });
  if (document.contents.items.length === 0) document.contents.flow = false;
  for (const section of sections) openSection(document, file, section);
  return document;
}

function openSection(document: Document, file: string, section: Section): YAMLSeq {
  const found = document.get(section, true);
  if (isSeq(found)) return found;
  const isEmpty = found === undefined || (isScalar(found) && found.value === null);
  if (!isEmpty) throw cliErrors.CLI_KUBECONFIG_INVALID({ file, why: `'${section}' isn't a list` });
  const list: YAMLSeq = document.createNode([]);
  document.set(section, list);
  return list;
}

function upsert(document: Document, file: string, section: Section, entry: KubeconfigEntries): void {
  const list = openSection(document, file, section);
  const key = bodyKeys[section];
  const body = (entry[section] as Record<string, Record<string, unknown>>)[key] ?? {};
  const index = list.items.findIndex((item) => isMap(item) && item.get("name") === entry.name);
  if (index === -1) {
    // `clusters: []` is how an empty one is spelled; entries in brackets would be hard to read.
    if (list.items.length === 0) list.flow = false;
    list.add(quoted(document, { name: entry.name, [key]: body }));
    return;
  }

  const item = list.items[index] as YAMLMap;
  const owner = readOwner(asRecord(item.toJS(document))[key]);
  if (owner?.hub !== entry.owner.hub || owner.cluster !== entry.owner.cluster) {
    throw cliErrors.CLI_KUBECONFIG_TAKEN({
      file,
      entry: `'${entry.name}' of '${section}'`,
      owner: owner ? `the hub ${owner.hub}` : "someone else",
    });
  }
  item.set(key, quoted(document, { ...body, ...keptOf(section, asRecord(item.toJS(document))[key], body) }));
}

/** Keeps what people set on our entries by hand: a context's namespace, a proxy. A credential is never kept. */
function keptOf(section: Section, before: unknown, body: Record<string, unknown>): Record<string, unknown> {
  if (section === "users" || !isRecord(before)) return {};
  const { "certificate-authority-data": _, ...kept } = before;
  return Object.fromEntries(Object.entries(kept).filter(([key]) => !(key in body)));
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** kubectl reads YAML 1.1, where a plain `on`, `no` or `1_0` isn't text: every text of ours is quoted. */
function quoted(document: Document, value: unknown): ReturnType<Document["createNode"]> {
  const node = document.createNode(value, { aliasDuplicateObjects: false });
  visit(node as YAMLMap, {
    Scalar(key, scalar) {
      if (key !== "key" && typeof scalar.value === "string") scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return node;
}
