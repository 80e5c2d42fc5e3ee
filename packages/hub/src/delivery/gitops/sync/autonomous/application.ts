// Turns an autonomous cluster's application into the one that the hub shows. Pure.
import type { StatusPart } from "@fairlead/protocol";
import { asFields, type Fields } from "./as-fields.ts";
import { toProjectName } from "./places.ts";

/** On the hub it is an application of that cluster, in a project of that cluster. */
export function toMirroredSpec(spec: Fields, cluster: string): Fields {
  const { server: _server, ...destination } = asFields(spec["destination"]);
  const project = typeof spec["project"] === "string" ? spec["project"] : "";
  return { ...spec, project: toProjectName(cluster, project), destination: { ...destination, name: cluster } };
}

/** Applications that an application makes in the cluster are in the cluster's namespace on the hub. */
export function toMirroredStatus(part: StatusPart, namespace: string): StatusPart {
  const { resources } = part.status;
  if (!Array.isArray(resources) || !resources.some(isApplication)) return part;
  const moved = resources.map((one: unknown) => (isApplication(one) ? { ...asFields(one), namespace } : one));
  return { ...part, status: { ...part.status, resources: moved } };
}

function isApplication(resource: unknown): boolean {
  const { group, kind } = asFields(resource);
  return group === "argoproj.io" && kind === "Application";
}
