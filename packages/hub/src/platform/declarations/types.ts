import type { BindingSubject, ClusterChoice, Labels, PutRoleRequest, Role, TokenScope } from "@fairlead/contract";
import type { LimitSettings } from "../limits/index.ts";

export type DeclaredKind = "Cluster" | "Role" | "Binding" | "Robot" | "Limits";

/** Where a document is, to name it to whoever mends it. */
export interface Place {
  /** Without its folder. */
  readonly file: string;
  readonly line: number;
}

export interface DeclaredCluster extends Place {
  readonly name: string;
  readonly labels: Labels;
  readonly displayName?: string | undefined;
  readonly protected: boolean;
  readonly roles: readonly Role[];
  /** Identities of an older one are revoked. */
  readonly identityEpoch: number;
}

export interface DeclaredRole extends Place, PutRoleRequest {
  readonly name: string;
}

export interface DeclaredBinding extends Place {
  readonly name: string;
  readonly subject: BindingSubject;
  readonly role: string;
  readonly clusters: ClusterChoice;
  readonly record: boolean;
}

export interface DeclaredRobot extends Place {
  readonly name: string;
  readonly description?: string | undefined;
  readonly tokens: readonly DeclaredToken[];
}

export interface DeclaredToken {
  readonly sha256: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
  readonly scope?: TokenScope | undefined;
}

export interface DeclaredLimits extends Place {
  /** The others are as the hub's settings say. */
  readonly limits: Partial<LimitSettings>;
}

/** All that the files of a folder say. Each list is in the order of names. */
export interface Declarations {
  readonly clusters: readonly DeclaredCluster[];
  readonly roles: readonly DeclaredRole[];
  readonly bindings: readonly DeclaredBinding[];
  readonly robots: readonly DeclaredRobot[];
  readonly limits: DeclaredLimits | undefined;
}

/** A document of a known kind. */
export type Declaration =
  | { readonly kind: "Cluster"; readonly cluster: DeclaredCluster }
  | { readonly kind: "Role"; readonly role: DeclaredRole }
  | { readonly kind: "Binding"; readonly binding: DeclaredBinding }
  | { readonly kind: "Robot"; readonly robot: DeclaredRobot }
  | { readonly kind: "Limits"; readonly limits: DeclaredLimits };

/** A thing that a file has made. */
export interface OwnedThing {
  readonly kind: DeclaredKind;
  readonly name: string;
  readonly file: string;
  /** Milliseconds since the epoch; undefined while it is declared. */
  readonly withdrawnMs: number | undefined;
}
