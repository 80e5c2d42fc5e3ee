// Turns an autonomous cluster's application into the one that the hub shows. Pure.
import type { Application, StatusPart } from "@fairlead/protocol";
import { hydrateAnnotation, refreshAnnotation, withoutMirrorMark } from "@fairlead/protocol";
import { asFields, type Fields } from "./as-fields.ts";
import { toProjectName } from "./mirror-location.ts";
import { pickFields } from "./pick-fields.ts";
import { applicationShape, statusShape } from "./shapes.ts";

/** On the hub it is an application of that cluster, in a project of that cluster. */
export function toMirroredSpec(spec: Fields, cluster: string): Fields {
  const picked = pickFields(spec, applicationShape);
  const { namespace } = asFields(picked["destination"]);
  const project = typeof spec["project"] === "string" ? spec["project"] : "";
  return {
    ...picked,
    project: toProjectName(cluster, project),
    destination: { ...(typeof namespace === "string" && { namespace }), name: cluster },
  };
}

/**
 * Applications that an application makes in the cluster are in the cluster's namespace on the hub. An operation or refresh
 * is there only while one is on the hub that somebody asked for: Argo CD on the hub would carry it out.
 */
export function toMirroredStatus(part: StatusPart, there: Application): StatusPart {
  const { namespace, annotations = {} } = there.metadata;
  const { resources, ...status } = pickFields(part.status, statusShape);
  const { [refreshAnnotation]: refresh, [hydrateAnnotation]: hydrate } = annotations;
  const { operation } = there;
  return {
    status: {
      ...status,
      ...(Array.isArray(resources) && { resources: resources.map((one: unknown) => toPlaced(one, namespace)) }),
    },
    ...(part.operation !== undefined && operation !== undefined && { operation: withoutMirrorMark(operation) }),
    refresh: {
      ...(part.refresh.refresh !== undefined && refresh !== undefined && { refresh }),
      ...(part.refresh.hydrate !== undefined && hydrate !== undefined && { hydrate }),
    },
  };
}

function toPlaced(resource: unknown, namespace: string): unknown {
  const { group, kind } = asFields(resource);
  return group === "argoproj.io" && kind === "Application" ? { ...asFields(resource), namespace } : resource;
}
