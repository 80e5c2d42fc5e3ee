// Where a process of Argo CD looks for applications. The flag counts more than the environment, and the environment
// comes from a key of a ConfigMap that may be missing.
import { Fields } from "@fairlead/kernel";
import { readPattern } from "@fairlead/kernel/pattern";
import type { Snapshot } from "../../snapshot/index.ts";
import { parseCsv, readFlag } from "../../workloads/index.ts";
import type { ArgoProcess } from "./instances.ts";

export type NamespacesSetting =
  | { readonly is: "set"; readonly patterns: readonly string[]; readonly by: string; readonly configMap?: string }
  | { readonly is: "unset"; readonly by: string; readonly configMap?: string }
  | { readonly is: "hidden"; readonly why: string; readonly configMap: string };

export function readNamespaces({ container, namespace }: ArgoProcess, snapshot: Snapshot): NamespacesSetting {
  const flag = readFlag(container, "application-namespaces");
  if (flag !== undefined) return toSetting(flag, `${container.path}.args`);
  const variable = container.env.find((each) => each.at("name").text() === "ARGOCD_APPLICATION_NAMESPACES");
  const path = `${container.path}.env[ARGOCD_APPLICATION_NAMESPACES]`;
  if (variable === undefined) return { is: "unset", by: path };
  const reference = variable.at("valueFrom", "configMapKeyRef");
  return reference.exists
    ? readKey({ reference, namespace, snapshot })
    : toSetting(variable.at("value").text() ?? "", path);
}

function readKey(options: {
  readonly reference: Fields;
  readonly namespace: string;
  readonly snapshot: Snapshot;
}): NamespacesSetting {
  const { reference, namespace, snapshot } = options;
  const configMap = reference.at("name").text() ?? "";
  const key = reference.at("key").text() ?? "";
  const sighting = snapshot.readConfigMap(namespace, configMap);
  const by = `data["${key}"]`;
  if (sighting.is === "hidden") return { is: "hidden", why: sighting.why, configMap };
  if (sighting.is === "missing") return { is: "unset", by, configMap };
  return toSetting(new Fields(sighting.configMap).at("data", key).text() ?? "", by, configMap);
}

function toSetting(value: string, by: string, configMap?: string): NamespacesSetting {
  const patterns = parseCsv(value.trim())
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const source = { by, ...(configMap !== undefined && { configMap }) };
  return patterns.length === 0 ? { is: "unset", ...source } : { is: "set", patterns, ...source };
}

/** An entry is a glob, or a regular expression between slashes. `*` as a wanted name asks for every namespace. */
export function coversNamespace(patterns: readonly string[], wanted: string): boolean {
  if (wanted === "*") return patterns.some((pattern) => pattern === "*" || isAnything(pattern));
  return patterns.some((pattern) => matches(pattern, wanted));
}

function isAnything(pattern: string): boolean {
  return /^\/\^?\.\*\$?\/$/.test(pattern);
}

function matches(pattern: string, name: string): boolean {
  if (pattern.length > 1 && pattern.startsWith("/") && pattern.endsWith("/")) return matchesExpression(pattern, name);
  const expression = [...pattern].map((sign) =>
    sign === "*" ? ".*" : sign === "?" ? "." : sign.replace(/[^a-z0-9-]/i, "\\$&"),
  );
  return new RegExp(`^${expression.join("")}$`).test(name);
}

/** One that can't be read counts as not matching. */
function matchesExpression(pattern: string, name: string): boolean {
  try {
    return readPattern(pattern.slice(1, -1), { mostLength: 200 }).matches(name);
  } catch {
    return false;
  }
}
