// Commands that run with the rights of a ServiceAccount. Each of their requests says so to the API server, which looks
// whether the agent may do that, and then judges the request as the account's.
import { isDnsLabel } from "@fairlead/kernel";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import type { Dispatcher } from "undici";
import { executeErrors } from "./errors.ts";

export function isServiceAccount(text: string): boolean {
  const [namespace = "", name = "", ...more] = text.split("/");
  return more.length === 0 && isDnsLabel(namespace) && accountName.test(name) && name.length <= 253;
}

/**
 * The account's groups are the API server's to know: named here they would need rights to impersonate groups. Headers
 * of this kind from others are dropped.
 */
export function actAs(
  request: Dispatcher.DispatchOptions,
  serviceAccount: string | undefined,
): Dispatcher.DispatchOptions {
  const headers = linesOf(request.headers).flatMap(([name, value]) => (isReserved(name) ? [] : [name, value]));
  if (serviceAccount !== undefined) headers.push("Impersonate-User", userOf(serviceAccount));
  return { ...request, headers };
}

/** Throws COMMAND_ACCOUNT_FORBIDDEN before anything is done. */
export async function checkImpersonation(
  kube: Pick<KubeClient, "request">,
  account: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (account === undefined) return;
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const spec = { nonResourceAttributes: { path: "/version", verb: "get" } };
  try {
    await kube.request({ method: "POST", path, body: { spec }, signal });
  } catch (error) {
    // Other faults show where they matter.
    if (kubeErrors.is(error, "KUBE_FORBIDDEN") && error.message.includes("impersonate"))
      throw executeErrors.COMMAND_ACCOUNT_FORBIDDEN({ account, cause: error });
  }
}

function userOf(serviceAccount: string): string {
  return `system:serviceaccount:${serviceAccount.replace("/", ":")}`;
}

function isReserved(name: string): boolean {
  const start = name.toLowerCase().trim();
  return reservedPrefixes.some((prefix) => start.startsWith(prefix));
}

function linesOf(headers: Dispatcher.DispatchOptions["headers"]): readonly (readonly [string, string])[] {
  if (headers === undefined || headers === null) return [];
  if (Array.isArray(headers)) {
    const flat = headers as readonly string[];
    return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : []));
  }
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return entries.flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, String(each)] as const));
}

const accountName = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;
const reservedPrefixes = ["impersonate-", "impersonate_"];
