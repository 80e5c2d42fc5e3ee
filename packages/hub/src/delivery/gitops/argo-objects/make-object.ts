// Makes an object that clusters share from a request. Pure. The errors that it throws are for the caller.
import type { ArgoObjectName, PutArgoObjectRequest } from "@fairlead/contract";
import { type GitopsObject, gitopsResources } from "@fairlead/protocol";
import { gitopsErrors } from "../errors.ts";

/** Throws GITOPS_REQUEST_INVALID, GITOPS_APPLICATION_CONFLICT. */
export function makeArgoObject(
  { kind, name }: ArgoObjectName,
  options: {
    readonly namespace: string;
    readonly asked: PutArgoObjectRequest;
    /** Undefined: it is made. */
    readonly there: GitopsObject | undefined;
  },
): GitopsObject {
  const { namespace, asked, there } = options;
  const { labels, annotations, resourceVersion } = asked;
  if (resourceVersion !== undefined && resourceVersion !== there?.metadata.resourceVersion)
    throw gitopsErrors.GITOPS_APPLICATION_CONFLICT({ name });
  const { group, version, kind: kindName } = gitopsResources[kind];
  return {
    ...(there ?? { apiVersion: group === "" ? version : `${group}/${version}`, kind: kindName }),
    ...fieldsOf(kind, asked),
    metadata: {
      ...(there?.metadata ?? { namespace, name }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}

function fieldsOf(
  kind: ArgoObjectName["kind"],
  { spec, data }: PutArgoObjectRequest,
): Readonly<Record<string, unknown>> {
  if (kind === "projects") {
    if (spec === undefined || data !== undefined) throw invalid("a project has a spec and no data");
    return { spec };
  }
  if (data === undefined || spec !== undefined) throw invalid(`${kind} have data and no spec`);
  return kind === "repositories" ? { type: "Opaque", data: encode(data) } : { data };
}

function encode(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
}

function invalid(problems: string): Error {
  return gitopsErrors.GITOPS_REQUEST_INVALID({ problems });
}
