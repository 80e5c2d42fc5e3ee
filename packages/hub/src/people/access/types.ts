import type { PrincipalKind, TokenScope } from "@fairlead/contract";
import type { RequestAttributes } from "@fairlead/kube";
import type { CallerIdentity } from "@fairlead/protocol";

/** The caller, once the hub knows. The object stays the same for as long as the sign-in lasts. */
export interface Principal {
  readonly kind: PrincipalKind;
  /** `admin`, `alice@example.com`, `robot:ci`. */
  readonly name: string;
  /** Stays the same when the name changes. */
  readonly uid: string;
  /** From the identity provider; nobody else has any. */
  readonly groups: readonly string[];
  readonly sessionId?: string | undefined;
  /** The long-lived token that was shown, or that the session began with. */
  readonly tokenId?: string | undefined;
  /** Narrows a robot's rights. */
  readonly scope?: TokenScope | undefined;
  /** When the sign-in itself ends (the session's or the robot token's end), in milliseconds since the epoch. */
  readonly endsAt?: number | undefined;
}

/** The user that a caller wants to be instead (`kubectl --as`). */
export interface ImpersonationRequest {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ClusterRequest {
  readonly principal: Principal;
  readonly cluster: string;
  readonly attributes: RequestAttributes;
  readonly impersonate?: ImpersonationRequest | undefined;
}

/** On the hub itself. With a cluster it is about that one, without about the hub as a whole. */
export interface HubRequest {
  readonly verb: string;
  readonly resource: string;
  readonly cluster?: string | undefined;
}

export type Decision =
  | {
      readonly allowed: true;
      /** The user whose rights the request has in the cluster. */
      readonly identity: CallerIdentity;
      /** True when input and output in a pod are kept. */
      readonly record: boolean;
    }
  | { readonly allowed: false; readonly reason: string };

export interface Access extends AsyncDisposable {
  /** Only when this start made it; nothing can show it again. */
  readonly firstAdminToken?: string;
  /** Throws AUTH_REQUIRED, AUTH_INVALID or AUTH_EXPIRED. From memory: it is on the path of every request. */
  authenticate(authorization: string | undefined): Principal;
  /** From memory as well, for every proxied request. */
  authorize(request: ClusterRequest): Decision;
  /** Throws ACCESS_DENIED. */
  require(principal: Principal, request: HubRequest): void;
  may(principal: Principal, request: HubRequest): boolean;
  /**
   * Before a cluster has labels by which bindings choose it. Throws ACCESS_ESCALATION or ACCESS_UNRECORDED when it is not
   * the principal's to give.
   */
  requireToLabel(
    principal: Principal,
    cluster: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
  ): void;
  /** False after sign-out, removal and the end of its time. */
  isSignedIn(principal: Principal): boolean;
  /** Namespaces that the caller's rules for the cluster name. A rule that names none is for all; no rule gives others. */
  namespacesOf(principal: Principal, cluster: string): readonly string[];
  /** Called after anything that may take rights away. Returns the way to stop listening. */
  onChanged(listener: () => void): () => void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the server's hook before any route that needs one runs. */
    principal: Principal;
  }
}
