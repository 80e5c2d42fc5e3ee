// The configuration that Vector's pods mount: all YAML keys of their ConfigMaps together. In TOML or JSON, or in a Secret, it
// can't be judged.
import { Fields } from "@fairlead/kernel";
import { parseDocument } from "yaml";
import { allowConfigMap, type Fix } from "../../checks/index.ts";
import type { ObjectRef, Snapshot } from "../../snapshot/index.ts";
import { readConfigMounts, type Workload } from "../../workloads/index.ts";

export type VectorConfig =
  | { readonly is: "read"; readonly map: ObjectRef; readonly parts: readonly VectorPart[] }
  | { readonly is: "unknown"; readonly why: string; readonly fix?: Fix };

/** A source, transform or sink. */
export interface VectorPart {
  readonly section: (typeof sections)[number];
  readonly name: string;
  readonly fields: Fields;
  /** For evidence: `data["agent.yaml"]: sinks.vlogs`. */
  readonly path: string;
}

const sections = ["sources", "transforms", "sinks"] as const;

export function readVectorConfig(snapshot: Snapshot, workload: Workload): VectorConfig {
  const namespace = workload.ref.namespace ?? "default";
  const mounted = readConfigMounts(workload);
  const [first] = mounted.maps;
  if (first === undefined) {
    return { is: "unknown", why: mounted.hasSecret ? "its configuration is in a Secret" : "it mounts no ConfigMap" };
  }
  const parts: VectorPart[] = [];
  for (const name of mounted.maps) {
    const read = readMap(snapshot, namespace, name);
    if ("why" in read) return { is: "unknown", ...read };
    parts.push(...read.parts);
  }
  if (parts.length === 0) return { is: "unknown", why: "its ConfigMaps hold no sources and sinks" };
  return { is: "read", map: { resource: "configmaps", namespace, name: first }, parts };
}

function readMap(
  snapshot: Snapshot,
  namespace: string,
  name: string,
): { readonly parts: VectorPart[] } | { readonly why: string; readonly fix?: Fix } {
  const sighting = snapshot.readConfigMap(namespace, name);
  if (sighting.is === "hidden") return { why: sighting.why, fix: allowConfigMap(namespace, name) };
  if (sighting.is === "missing") return { why: `the ConfigMap ${namespace}/${name}, which it mounts, isn't there` };
  const parts: VectorPart[] = [];
  for (const [key, text] of new Fields(sighting.configMap).at("data").entries()) {
    if (/\.(toml|json)$/.test(key)) return { why: `its configuration ${key} is no YAML` };
    if (!/\.ya?ml$/.test(key)) continue;
    const read = readParts(key, text.text() ?? "");
    if (!read) return { why: `its configuration ${key} can't be read as YAML` };
    parts.push(...read);
  }
  return { parts };
}

function readParts(key: string, text: string): VectorPart[] | undefined {
  try {
    const document = parseDocument(text, { prettyErrors: false });
    if (document.errors.length > 0) return undefined;
    const config = new Fields(document.toJS({ maxAliasCount: 100 }));
    return sections.flatMap((section) =>
      config
        .at(section)
        .entries()
        .map(([name, fields]) => ({ section, name, fields, path: `data["${key}"]: ${section}.${name}` })),
    );
  } catch {
    // An anchor that isn't there, or that unfolds into too much.
    return undefined;
  }
}
