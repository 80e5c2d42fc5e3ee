import type { FairleadError } from "@fairlead/kernel";
import type { Link, Role } from "@fairlead/protocol";

export interface HelloFacts {
  readonly agentInstanceId: string;
  readonly agentVersion: string;
  /** Optional abilities that the agent says it has. */
  readonly capabilities: readonly string[];
  /** UID of kube-system; undefined for an agent that doesn't know it. */
  readonly kubeSystemUid: string | undefined;
  /** Undefined as long as its API server hasn't answered it. */
  readonly kubernetesVersion: string | undefined;
}

/** A connected agent process. */
export interface LiveLink {
  readonly id: string;
  readonly cluster: string;
  readonly roles: readonly Role[];
  readonly link: Link;
  /** Milliseconds since the epoch. */
  readonly connectedAt: number;
  /** The end of the certificate that the link stands on. It moves with renewals. */
  readonly notAfter: number;
  /** The fingerprint of the authority that signed that certificate. */
  readonly issuer: string;
  readonly remoteAddress: string;
  readonly hello?: HelloFacts | undefined;
  /** Its agent isn't taken for one of the cluster: it takes no streams. */
  readonly refusal: FairleadError | undefined;
  /** Takes no new streams: one side said GOAWAY, or the same agent has a newer link. */
  readonly isDraining: boolean;
}

export interface LinkList {
  /** The one that new streams of the role go to. */
  connection(cluster: string, role: Role): LiveLink | undefined;
  /** Gives the reason, of the newest link, when all links there are stay unused. */
  refusal(cluster: string, role: Role): FairleadError | undefined;
  /** All that take streams of the role, those with the fewest first. */
  connections(cluster: string, role: Role): readonly LiveLink[];
  /**
   * Waits for a link that takes streams of the role. False when none came in time, and at once when there is none to wait
   * for: the cluster has been away for longer than a cut.
   */
  whenUsable(
    cluster: string,
    role: Role,
    options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
  ): Promise<boolean>;
  list(): readonly LiveLink[];
}
