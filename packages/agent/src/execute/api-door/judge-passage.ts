// Whether a request of a command's program may pass the door. Pure, but for what the run has made so far.
import { type RequestAttributes, readRequestAttributes } from "@fairlead/kube";
import { policyDenied } from "../../policy/index.ts";
import { isClosed, isProxy, nameRequest, reads } from "../own-namespace.ts";
import { doorErrors } from "./errors.ts";
import { isDryRun } from "./is-dry-run.ts";
import type { DoorRun, KeptObject } from "./types.ts";

export type Passage =
  | { readonly is: "whole" }
  /** Its answer may have Secrets in it that the run may not see. */
  | { readonly is: "secrets"; readonly attributes: RequestAttributes; readonly isDryRun: boolean }
  /** It creates one of these or nothing. */
  | { readonly is: "kept"; readonly names: readonly string[] };

export interface JudgedPassage {
  readonly run: DoorRun;
  readonly method: string;
  /** Path and query as the API server has them. */
  readonly path: string;
  readonly hasBody: boolean;
  readonly contentType: string | undefined;
}

/** Throws why it may not. */
export function judgePassage(request: JudgedPassage): Passage {
  const { run, method, path } = request;
  const attributes = readRequestAttributes({ method, path });
  if (attributes === undefined) throw policyDenied({ rule: "paths", reason: "its path is ambiguous" });
  if (isClosed(run.ownNamespace, attributes)) throw doorErrors.DOOR_OWN_NAMESPACE({ what: nameRequest(attributes) });
  const kept = run.phase === "plan" ? judgePlan(request, attributes) : undefined;
  if (kept !== undefined) return kept;
  return isSecret(attributes) && run.secrets !== undefined ? judgeSecret(request, attributes) : { is: "whole" };
}

function judgePlan(request: JudgedPassage, attributes: RequestAttributes): Passage | undefined {
  const { verb, isResource, subresource } = attributes;
  const refused = doorErrors.DOOR_PLAN_WRITES({ what: nameRequest(attributes) });
  if (reads.has(verb)) {
    // Behind it is another server, which may do anything for a GET.
    if (isProxy(attributes)) throw refused;
    return undefined;
  }
  if (!isResource) throw refused;
  if (isSelfReview(attributes)) return { is: "whole" };
  const kept = keptNames(request.run.keeps, attributes);
  if (kept.length > 0 && verb === "create") return { is: "kept", names: kept };
  if (kept.includes(attributes.name) && (verb === "update" || verb === "patch" || verb === "delete")) return undefined;
  // A deletion with a body goes by the body alone, whatever its query says.
  const isDeletion = verb === "delete" || verb === "deletecollection";
  if (!isDryRun(request.path) || !dryRunnable.has(subresource) || (isDeletion && request.hasBody)) throw refused;
  return undefined;
}

function keptNames(keeps: readonly KeptObject[] = [], attributes: RequestAttributes): readonly string[] {
  const { apiGroup, resource, namespace, subresource } = attributes;
  if (subresource !== "") return [];
  return keeps
    .filter((kept) => kept.apiGroup === apiGroup && kept.resource === resource && kept.namespace === namespace)
    .map(({ name }) => name);
}

function judgeSecret({ run, path, contentType }: JudgedPassage, attributes: RequestAttributes): Passage {
  const { verb, namespace, name } = attributes;
  const isSeen = name !== "" && run.secrets?.sees(namespace, name) === true;
  const secret = `${namespace}/${name}`;
  if (verb === "get" && isSeen) return { is: "whole" };
  // Its operations copy values to where they are seen, and tell by their outcome whether a guess is right.
  if (verb === "patch" && !isSeen && /json-patch/i.test(contentType ?? "json-patch"))
    throw doorErrors.DOOR_SECRET_HIDDEN({ secret });
  return { is: "secrets", attributes, isDryRun: isDryRun(path) };
}

function isSecret({ isResource, apiGroup, resource }: RequestAttributes): boolean {
  return isResource && apiGroup === "" && resource === "secrets";
}

function isSelfReview({ verb, apiGroup, resource, subresource }: RequestAttributes): boolean {
  return verb === "create" && subresource === "" && selfReviews.has(`${apiGroup}/${resource}`);
}

/** Others do what they do in a dry run, too, such as giving out a token. */
const dryRunnable = new Set(["", "status", "scale"]);
const selfReviews = new Set([
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authentication.k8s.io/selfsubjectreviews",
]);
