// The projection of an object: all of it that leaves the cluster. A pure function of the object, the salt and the
// settings, so that two agents that see the same object make the same bytes of it.
import type { KeyObject } from "node:crypto";
import { type ApiResource, apiVersionOf, type KubeObject, resourceKey } from "@fairlead/kube";
import { toVersion } from "@fairlead/protocol";
import { encodeWithin } from "./cut.ts";
import { hideLiterals } from "./hide-literals.ts";
import { hideValues } from "./hide-values.ts";
import { leaveOut } from "./leave-out.ts";
import type { ObservedObject } from "./types.ts";

export interface ProjectionRules {
  /**
   * Belongs to this cluster alone: without it nobody can try out which value has a hash. A key that is made once,
   * because Node takes several times as long for a hash whose key comes as bytes.
   */
  readonly salt: KeyObject;
  /** Keeps or masks environment variables and Helm values that are written into an object as they are. */
  readonly envValues: "keep" | "mask";
  readonly maxObjectBytes: number;
}

/** Uses up the object: some of its parts may be changed in place. */
export function projectObject(resource: ApiResource, object: KubeObject, rules: ProjectionRules): ObservedObject {
  const { uid, name, namespace = "" } = object.metadata;
  const json = encodeWithin(shapeOf(resource, object, rules), rules.maxObjectBytes);
  return { uid, namespace, name, version: toVersion(json), json };
}

function shapeOf(resource: ApiResource, object: KubeObject, rules: ProjectionRules): KubeObject {
  const key = resourceKey(resource);
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const shape: KubeObject = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { ...metadata, managedFields: undefined, ...annotationsOf(object) },
    ...rest,
  };
  if (key === "secrets" || key === "configmaps") return hideValues(shape, rules.salt);
  const slim = leaveOut(key, shape);
  return rules.envValues === "mask" ? hideLiterals(slim, rules.salt) : slim;
}

function annotationsOf(object: KubeObject): { annotations?: Record<string, string> } {
  const { annotations } = object.metadata;
  if (annotations === undefined || !wholeObjects.some((name) => name in annotations)) return {};
  const kept = { ...annotations };
  for (const name of wholeObjects) delete kept[name];
  return { annotations: kept };
}

/** Annotations in which tools keep the whole object as it was applied: with a Secret's values, and twice the size. */
const wholeObjects = [
  "kubectl.kubernetes.io/last-applied-configuration",
  "objectset.rio.cattle.io/applied",
  "kapp.k14s.io/original",
  "kapp.k14s.io/original-diff",
  "banzaicloud.com/last-applied",
  "kopf.zalando.org/last-handled-configuration",
];
