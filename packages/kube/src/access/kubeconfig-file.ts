// The parts of a kubeconfig that Fairlead reads. It is other people's file: checked member by member, and what is
// wrong is named with its place.
import { parse } from "yaml";
import { kubeErrors } from "../errors/index.ts";

export interface KubeconfigEntry {
  readonly contextName: string;
  readonly cluster: Fields;
  readonly user: Fields;
  readonly namespace: string | undefined;
}
export type Fields = Readonly<Record<string, unknown>>;

/** Finds the context (the current one unless named) and what it points to. */
export function readKubeconfigEntry(options: { text: string; context?: string | undefined }): KubeconfigEntry {
  const config = asFields(parseYaml(options.text));
  if (config === undefined) throw kubeErrors.KUBE_CONFIG_INVALID({ detail: "it isn't a YAML mapping" });
  const contextName = options.context ?? textOf(config, "current-context");
  if (!contextName)
    throw kubeErrors.KUBE_CONFIG_INVALID({ detail: "it has no current-context and no context was named" });
  const context = findNamed(config, "contexts", "context", contextName);
  const clusterName = textOf(context, "cluster");
  if (!clusterName)
    throw kubeErrors.KUBE_CONFIG_INVALID({ detail: `context ${JSON.stringify(contextName)} names no cluster` });
  const userName = textOf(context, "user");
  return {
    contextName,
    cluster: findNamed(config, "clusters", "cluster", clusterName),
    user: userName ? findNamed(config, "users", "user", userName) : {},
    namespace: textOf(context, "namespace"),
  };
}

export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw kubeErrors.KUBE_CONFIG_INVALID({ detail: `${name} isn't a text` });
  return value;
}

export function asFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function parseYaml(text: string): unknown {
  try {
    // A warning or a pretty error would print the lines around, and they hold credentials.
    return parse(text, { logLevel: "error", prettyErrors: false });
  } catch (error) {
    throw kubeErrors.KUBE_CONFIG_INVALID({ detail: "it isn't valid YAML", cause: error });
  }
}

function findNamed(config: Fields, list: string, member: string, name: string): Fields {
  const entries: unknown = config[list];
  if (!Array.isArray(entries)) throw kubeErrors.KUBE_CONFIG_INVALID({ detail: `it has no ${list}` });
  const found = entries.map(asFields).find((entry) => entry?.["name"] === name);
  const fields = asFields(found?.[member]);
  if (!fields)
    throw kubeErrors.KUBE_CONFIG_INVALID({
      detail: `${list} has no ${JSON.stringify(name.slice(0, shownCharacters))}`,
    });
  return fields;
}

/** Of a name: a damaged file may have its credentials where a name belongs. */
const shownCharacters = 80;
