// The typed calls that the agent makes on the hub over its link.
import { ConnectError, createClient } from "@connectrpc/connect";
import { createLinkTransport, IdentityService, type Link, LinkService, type Role } from "@fairlead/protocol";
import type { ClusterFacts } from "./cluster-facts.ts";
import { linkErrors } from "./errors.ts";

export interface Self {
  readonly instanceId: string;
  readonly version: string;
  readonly roles: readonly Role[];
  /** Optional abilities of this agent that the hub may count on. */
  readonly capabilities: readonly string[];
}

/** Why the hub opens no streams on a link. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export interface Welcome {
  readonly hubInstanceId: string;
  readonly hubVersion: string;
  readonly cluster: string;
  readonly protocolVersion: number;
  /** Optional abilities of the hub. */
  readonly capabilities: readonly string[];
  /** The hub's clock minus ours, as far as one exchange tells. */
  readonly clockSkewMs: number;
  /** JWKs by which the hub signs commands; none when it doesn't say. */
  readonly commandKeys: readonly string[];
  readonly refusal?: Refusal | undefined;
}

/** Introduces the agent; the hub checks that both mean the same cluster. */
export async function sayHello(options: {
  link: Link;
  self: Self;
  cluster: string;
  facts: ClusterFacts;
  nowMs: number;
  signal?: AbortSignal | undefined;
}): Promise<Welcome> {
  const { link, self, cluster, facts, nowMs, signal } = options;
  const client = createClient(LinkService, createLinkTransport({ link }));
  const request = client.hello(
    {
      cluster,
      agentInstanceId: self.instanceId,
      agentVersion: self.version,
      protocolVersions: [1],
      roles: [...self.roles],
      capabilities: [...self.capabilities],
      kubernetesVersion: facts.kubernetesVersion,
      kubeSystemUid: facts.kubeSystemUid,
      sentAtMs: BigInt(nowMs),
    },
    { timeoutMs: 10_000, ...(signal && { signal }) },
  );
  const answer = await request.catch((error: unknown) => {
    throw linkErrors.LINK_HELLO_FAILED({ reason: ConnectError.from(error).rawMessage, cause: error });
  });
  const { refusal } = answer;
  return {
    hubInstanceId: answer.hubInstanceId,
    hubVersion: answer.hubVersion,
    cluster: answer.cluster,
    protocolVersion: answer.protocolVersion,
    capabilities: answer.capabilities,
    clockSkewMs: Number(answer.receivedAtMs) - nowMs,
    commandKeys: answer.commandKeys,
    ...(refusal && { refusal: { code: refusal.code, message: refusal.message, hint: refusal.hint } }),
  };
}

/** Tells the hub that the agent has stored this certificate. */
export async function confirmCertificate(options: { link: Link; serial: string }): Promise<void> {
  const client = createClient(IdentityService, createLinkTransport({ link: options.link }));
  await client.confirm({ serial: options.serial }, { timeoutMs: 30_000 });
}

/** Asks for a new certificate for the key that the link was opened with. */
export async function renewCertificate(options: {
  link: Link;
  csrDer: Uint8Array;
}): Promise<{ certificateChainPem: string; caPem: string; commandKeys: readonly string[] }> {
  const client = createClient(IdentityService, createLinkTransport({ link: options.link }));
  const answer = await client.renew({ csrDer: options.csrDer }, { timeoutMs: 30_000 });
  const { certificateChainPem, caPem, commandKeys } = answer;
  return { certificateChainPem, caPem, commandKeys };
}
