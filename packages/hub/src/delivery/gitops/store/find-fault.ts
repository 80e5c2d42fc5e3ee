import { type GitopsKind, type GitopsObject, gitopsResources } from "@fairlead/protocol";

/** Why an object can't be one of its kind; undefined: it can. Pure. Argo CD in the cluster checks the rest. */
export function findFault(kind: GitopsKind, object: GitopsObject): string | undefined {
  const { name, namespace, labels = {} } = object.metadata;
  const place = gitopsResources[kind];
  const apiVersion = place.group === "" ? place.version : `${place.group}/${place.version}`;
  if (object.apiVersion !== apiVersion || object.kind !== place.kind)
    return `it has to be a ${place.kind} of ${apiVersion}`;
  if (typeof name !== "string" || name.length > 253 || !subdomain.test(name))
    return "its name has to be lowercase letters, digits, - and ., and begin and end with a letter or digit";
  if (typeof namespace !== "string" || namespace.length > 63 || !label.test(namespace))
    return "its namespace has to be lowercase letters, digits and -, and begin and end with a letter or digit";
  if (place.name !== undefined && name !== place.name) return `its name has to be ${place.name}`;
  if (kind === "repositories" && !secretTypes.has(labels[secretTypeLabel] ?? ""))
    return `its label ${secretTypeLabel} has to be repository or repo-creds`;
  return undefined;
}

const label = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const secretTypeLabel = "argocd.argoproj.io/secret-type";
const secretTypes: ReadonlySet<string> = new Set(["repository", "repo-creds"]);
