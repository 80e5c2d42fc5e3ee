import type { FairleadError } from "@fairlead/kernel";
import type { AbsentAsker, ClusterRequest, Decision, HubRequest, Principal } from "./policy/index.ts";

export interface Access extends AsyncDisposable {
  /** For whoever started the hub, until somebody has used it; nothing can show it again. */
  readonly firstAdminToken?: string | undefined;
  /** Another running hub has shown the token, and nobody has used it yet. */
  readonly isFirstTokenElsewhere?: boolean | undefined;
  /**
   * Throws AUTH_REQUIRED, AUTH_INVALID or AUTH_EXPIRED. From memory, as it is on the path of every request: a promise comes
   * for the first use of the first admin's token, and for a token that may be another hub's. Then AUTH_TOO_MANY_UNKNOWN, too.
   */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>;
  /** From memory as well, for every proxied request. */
  authorize(request: ClusterRequest): Decision;
  /** Throws ACCESS_DENIED. */
  require(principal: Principal, request: HubRequest): void;
  may(principal: Principal, request: HubRequest): boolean;
  /**
   * Runs `make`, after which a cluster has labels by which bindings choose it, while no hub changes rights and with memory as
   * the database has it. Throws ACCESS_ESCALATION or ACCESS_UNRECORDED when the labels are not the principal's to give.
   */
  giveLabels<T>(
    principal: Principal,
    cluster: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
    make: () => Promise<T>,
  ): Promise<T>;
  /**
   * The same for labels that are another cluster's already, or to be others. What the principal may do in the cluster by the
   * former labels counts: nobody gets a right by labels that they set themselves.
   */
  changeLabels<T>(
    principal: Principal,
    cluster: {
      readonly name: string;
      readonly before: Readonly<Record<string, string>>;
      readonly after: Readonly<Record<string, string>>;
    },
    make: () => Promise<T>,
  ): Promise<T>;
  /** False after sign-out, removal and the end of its time. */
  isSignedIn(principal: Principal): boolean;
  /** Namespaces that the caller's rules for the cluster name. A rule that names none is for all; no rule gives others. */
  namespacesOf(principal: Principal, cluster: string): readonly string[];
  /** Uids that count as one where several have to decide: a person's, and a robot's with those of its makers. */
  partyOf(principal: Pick<Principal, "kind" | "name" | "uid" | "tokenId">): readonly string[];
  /**
   * Finds a person who asked earlier, with the groups of the latest sign-in; undefined when the person is gone. A robot is
   * gone, too, once the token is revoked that it asked with.
   */
  recall(asker: AbsentAsker): Principal | undefined;
  /** Why nothing is begun for the asker, who isn't there: groups that are too old, or a token that isn't good any more. */
  refuseAbsent(asker: AbsentAsker): FairleadError | undefined;
  /** Called after anything that may take rights away. Returns the way to stop listening. */
  onChanged(listener: () => void): () => void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the server's hook before any route that needs one runs. */
    principal: Principal;
  }
}
