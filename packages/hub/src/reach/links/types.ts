import type { FairleadError } from "@fairlead/kernel";
import type { Link, Role } from "@fairlead/protocol";
import type { MeshClaim } from "../mesh/index.ts";

/** Authenticates an agent's connection. Another hub that gets the connection judges it once more. */
export type Credential =
  /** A certificate whose key the agent has proved. */
  { readonly kind: "certificate"; readonly der: Uint8Array } | ({ readonly kind: "mesh" } & MeshClaim);

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
  /** The end of the certificate that the link stands on, or of a mesh's word. It moves with renewals. */
  readonly notAfter: number;
  /** The fingerprint of the authority that signed that certificate; undefined without one. */
  readonly issuer: string | undefined;
  readonly remoteAddress: string;
  readonly hello?: HelloFacts | undefined;
  /** Its agent isn't taken for one of the cluster: it takes no streams. */
  readonly refusal: FairleadError | undefined;
  /** Takes no new streams: one side said GOAWAY, or the same agent has a newer link. */
  readonly isDraining: boolean;
}

/** A link that another hub holds, as that hub describes it. */
export interface RemoteLink {
  readonly id: string;
  readonly cluster: string;
  readonly roles: readonly Role[];
  readonly connectedAt: number;
  readonly notAfter: number;
  readonly remoteAddress: string;
  readonly hello?: HelloFacts | undefined;
  readonly refusal: FairleadError | undefined;
  readonly isDraining: boolean;
  /** A hash of the key of the agent's certificate, or of the mesh's name for it. */
  readonly keyThumbprint: string;
  /** The fingerprint of the authority that signed the certificate; undefined without one. */
  readonly issuer: string | undefined;
  /** False while the agent's connection is lost, or nothing leads to the hub that holds the link. */
  readonly isUp: boolean;
  /** Opens streams by way of that hub. */
  readonly link: Pick<Link, "openStream">;
}

export interface PresentLinks {
  /** All links of agents, of this hub and of others. */
  present(): readonly (LiveLink | RemoteLink)[];
  presentOf(cluster: string): readonly (LiveLink | RemoteLink)[];
}

export interface LinkList {
  /** Gives the reason, of the newest link, when all links there are stay unused. */
  refusal(cluster: string, role: Role): FairleadError | undefined;
  /** All that take streams of the role: this hub's own first, and of those the ones with the fewest. */
  connections(cluster: string, role: Role): readonly (LiveLink | RemoteLink)[];
  /**
   * Waits for a link that takes streams of the role. False when none came in time, and at once when there is none to wait
   * for: the cluster has been away for longer than a cut.
   */
  whenUsable(
    cluster: string,
    role: Role,
    options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
  ): Promise<boolean>;
  /** This hub's own. */
  list(): readonly LiveLink[];
}
