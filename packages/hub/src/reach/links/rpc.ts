// The typed calls that an agent makes over its link.
import type { ConnectRouter } from "@connectrpc/connect";
import type { Clock, FairleadError } from "@fairlead/kernel";
import { type HelloRequest, IdentityService, LinkService } from "@fairlead/protocol";
import { toStorableText } from "../../platform/store/index.ts";
import type { AgentFacts } from "../clusters/index.ts";
import type { AgentIdentity, Identity } from "../identity/index.ts";
import { linksErrors } from "./errors.ts";
import { Pace } from "./pace.ts";
import { toRpcError } from "./rpc-error.ts";
import type { HelloFacts } from "./types.ts";

/** The hub tells agents this about itself. */
export interface HubFacts {
  readonly hubInstanceId: string;
  readonly hubVersion: string;
  /** Newest first. */
  readonly protocolVersions: readonly number[];
  readonly capabilities: readonly string[];
  /** Public keys by which agents know commands; none where the hub has no commands. */
  readonly commandKeys?: (() => readonly string[]) | undefined;
}

/** The agent that makes a call, as the hub judges it now. */
export interface CallingAgent extends AgentIdentity {
  /** Undefined until it has said Hello. */
  readonly hello: HelloFacts | undefined;
  /** Why it isn't taken for an agent of its cluster. */
  readonly refusal: FairleadError | undefined;
}

export interface LinkRoutesOptions {
  readonly hub: HubFacts;
  readonly clock: Clock;
  readonly peer: () => CallingAgent;
  readonly renew: Identity["renew"];
  readonly confirm: Identity["confirm"];
  /** The answer says why the agent's link isn't used, if so. */
  readonly onHello: (hello: HelloFacts, facts: AgentFacts) => Promise<FairleadError | undefined>;
  readonly onRenewed: (peer: AgentIdentity) => void;
  /** Registers what other rooms answer. */
  readonly addServices?: AddServices | undefined;
}

export type AddServices = (router: ConnectRouter, peer: () => CallingAgent) => void;

export function createLinkRoutes(options: LinkRoutesOptions): (router: ConnectRouter) => void {
  const { hub, clock, peer, renew, confirm, onHello, onRenewed, addServices } = options;
  // Each is written down, and seen by people.
  const hellos = new Pace({ burst: 16, everyMs: 5_000, clock });
  return (router) => {
    router.service(LinkService, { hello: (request) => coded(() => hello(request)) });
    router.service(IdentityService, {
      renew: (request) => coded(() => answerRenew(request.csrDer)),
      confirm: ({ serial }) => coded(() => answerConfirm(serial)),
    });
    addServices?.(router, peer);
  };

  async function hello(request: HelloRequest) {
    const { cluster } = peer();
    if (!hellos.take()) throw linksErrors.LINK_HELLO_TOO_OFTEN();
    if (request.cluster !== "" && request.cluster !== cluster) {
      throw linksErrors.LINK_HELLO_MISMATCH({ told: request.cluster, cluster });
    }
    const protocolVersion = hub.protocolVersions.find((version) => request.protocolVersions.includes(version));
    if (protocolVersion === undefined) {
      const offered = request.protocolVersions.join(", ") || "none";
      throw linksErrors.LINK_PROTOCOL_UNSUPPORTED({ offered });
    }
    const now = clock.now();
    const agentInstanceId = short(request.agentInstanceId);
    const agentVersion = short(request.agentVersion);
    // Empty in the message means that the agent couldn't ask its API server yet, or may not know.
    const kubernetesVersion = short(request.kubernetesVersion) || undefined;
    const kubeSystemUid = short(request.kubeSystemUid) || undefined;
    const clockSkewMs = Math.max(-longestSkewMs, Math.min(Number(request.sentAtMs) - now, longestSkewMs));
    const capabilities = request.capabilities.slice(0, 64).map(short);
    const refusal = await onHello(
      { agentInstanceId, agentVersion, capabilities, kubeSystemUid, kubernetesVersion },
      { agentVersion, kubernetesVersion, kubeSystemUid, clockSkewMs },
    );
    return {
      hubInstanceId: hub.hubInstanceId,
      hubVersion: hub.hubVersion,
      protocolVersion,
      capabilities: [...hub.capabilities],
      cluster,
      receivedAtMs: BigInt(now),
      commandKeys: listCommandKeys(),
      ...(refusal && { refusal: { code: refusal.code, message: refusal.message, hint: refusal.hint ?? "" } }),
    };
  }

  async function answerRenew(csrDer: Uint8Array) {
    const renewal = await renew({ peer: peer(), csrDer });
    onRenewed(renewal.peer);
    return { certificateChainPem: renewal.certificateChainPem, caPem: renewal.caPem, commandKeys: listCommandKeys() };
  }

  function listCommandKeys(): string[] {
    return [...(hub.commandKeys?.() ?? [])];
  }

  async function answerConfirm(serial: string) {
    await confirm({ peer: peer(), serial: short(serial) });
    return {};
  }
}

/** An agent's words are kept, in events too. Long ones must not fill the disk, and no database takes every character. */
function short(text: string): string {
  return toStorableText(text, 128);
}

const longestSkewMs = 100 * 365 * 24 * 60 * 60_000;

async function coded<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    throw toRpcError(thrown);
  }
}
