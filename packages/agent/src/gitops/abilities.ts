// Reads which kinds the agent's rights and its cluster let it read and write. The hub shows the answer.
import type { KubeClient } from "@fairlead/kube";
import { type GitopsKind, gitopsResources } from "@fairlead/protocol";
import type { FollowedKind } from "./followed-kind.ts";

export interface KindAbility {
  readonly kind: GitopsKind;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly code?: string;
  readonly message?: string;
}

export async function readAbilities(
  client: KubeClient,
  kinds: Iterable<FollowedKind>,
  signal: AbortSignal,
): Promise<KindAbility[]> {
  return await Promise.all([...kinds].map((followed) => readAbility(client, followed, signal)));
}

async function readAbility(client: KubeClient, followed: FollowedKind, signal: AbortSignal): Promise<KindAbility> {
  const { kind, failure } = followed;
  const why = failure === undefined ? {} : { code: failure.code, message: failure.message };
  const canRead = failure === undefined;
  return { kind, canRead, canWrite: canRead && (await mayWrite(client, followed, signal)), ...why };
}

/** Where that can't be asked the API server's answers to writes tell it. */
async function mayWrite(client: KubeClient, { kind, namespaces }: FollowedKind, signal: AbortSignal): Promise<boolean> {
  const { group, resource, name } = gitopsResources[kind];
  const resourceAttributes = { namespace: namespaces[0], verb: "update", group, resource, ...(name && { name }) };
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes } };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  try {
    const answer = await client.request<AccessReview>({ method: "POST", path, body, signal, timeoutMs: 5_000 });
    return answer.status?.allowed !== false;
  } catch {
    return true;
  }
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}
