import type { ClusterType, Profile } from "@fairlead/doctor";
import type { Block, Value } from "./hcl.ts";
import type { Pool } from "./pools.ts";

/** A value that people have to give before code can be written. It becomes a variable of the same name. */
export interface Input {
  readonly name: string;
  readonly description: string;
  /** Taken when nobody says otherwise. */
  readonly fallback?: string;
}

export interface Provider {
  readonly source: string;
  readonly version: string;
}

/** How the helm and kubernetes providers reach the cluster. No credential of it is kept in the state. */
export type Access =
  | {
      readonly kind: "exec";
      readonly host: Value;
      readonly ca: Value;
      readonly command: string;
      readonly arguments: readonly Value[];
    }
  | { readonly kind: "kubeconfig" };

/** The parts of a cluster's code that depend on its type. */
export interface Blueprint {
  readonly inputs: readonly Input[];
  readonly providers: Readonly<Record<string, Provider>>;
  readonly configuration: readonly Block[];
  readonly access: Access;
  network(name: string): readonly Block[];
  cluster(name: string): readonly Block[];
  pools(pools: readonly Pool[]): readonly Block[];
  storage(profile: Profile): readonly Block[];
  identities(name: string): readonly Block[];
  /** The addresses of what must be there before anything can be installed. */
  readonly ready: readonly string[];
  /** The steps that the code doesn't do, and people have to. */
  readonly byHand: readonly string[];
}

export type Blueprints = Readonly<Record<ClusterType, Blueprint>>;
