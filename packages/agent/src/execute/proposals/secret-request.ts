// Requests of programs that read Secrets. Pure.
import { readRequestAttributes } from "@fairlead/kube";

export interface SecretRequest {
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Empty for a list. */
  readonly name: string;
}

/**
 * Undefined for other requests, and for Helm's own question for the revisions of a release, which no template can ask. The
 * policy refuses a path that can be read in two ways.
 */
export function readSecretRequest(method: string, path: string): SecretRequest | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  const attributes = readRequestAttributes({ method, path });
  if (attributes?.apiGroup !== "" || attributes.resource !== "secrets") return undefined;
  const { namespace, name } = attributes;
  const query = new URLSearchParams(path.split("?")[1] ?? "");
  return name === "" && isReleaseQuestion(query.get("labelSelector") ?? "") ? undefined : { namespace, name };
}

function isReleaseQuestion(selector: string): boolean {
  const terms = selector.split(",");
  return terms.includes("owner=helm") && terms.some((term) => term.startsWith("name="));
}
