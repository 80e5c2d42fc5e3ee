import type { Access, Principal } from "../../people/access/index.ts";
import type { InventoryReader } from "../inventory/index.ts";
import type { Kinds } from "./kinds.ts";

export type ObjectAccess = Pick<Access, "authorize" | "may" | "namespacesOf">;

/** A cluster that the caller may know of. */
export interface ClusterListing {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly kinds: Kinds;
}

/** The part of the clusters room that is read here. */
export interface ClusterNames {
  list(): readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[];
  exists(name: string): boolean;
}

export interface Asking {
  readonly principal: Principal;
  readonly nowMs: number;
}

export type ObjectInventory = Pick<
  InventoryReader,
  "freshness" | "age" | "kinds" | "kind" | "facts" | "confirmReplacement" | "onCommitted"
>;
