// Shows people an object that clusters share. Pure.
import type { ArgoObject, ArgoObjectKind, ArgoObjectSummary } from "@fairlead/contract";
import { type GitopsObject, toDataPart, toProjectPart } from "@fairlead/protocol";

export function toArgoObjectSummary(kind: ArgoObjectKind, object: GitopsObject): ArgoObjectSummary {
  const { name, deletionTimestamp } = object.metadata;
  const project = kind === "repositories" ? fromBase64(toDataPart(object).data["project"]) : "";
  return { kind, name, project, isDeleting: deletionTimestamp !== undefined };
}

/** Hides all values of a Secret: even its address may have a password in it. */
export function toArgoObject(kind: ArgoObjectKind, object: GitopsObject): ArgoObject {
  const { resourceVersion = "", labels = {}, annotations = {} } = object.metadata;
  const { data } = toDataPart(object);
  const isSecret = kind === "repositories";
  return {
    ...toArgoObjectSummary(kind, object),
    resourceVersion,
    labels,
    annotations,
    spec: kind === "projects" ? toProjectPart(object).spec : {},
    data: isSecret ? {} : data,
    valueNames: isSecret ? Object.keys(data).sort() : [],
  };
}

function fromBase64(text = ""): string {
  return Buffer.from(text, "base64").toString();
}
