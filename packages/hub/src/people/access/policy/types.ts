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

/** The facts by which the person is found again who asked for something that goes on without him. */
export type AbsentAsker = Pick<Principal, "kind" | "name" | "uid" | "tokenId" | "scope">;

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
