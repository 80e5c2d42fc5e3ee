import { catalogue } from "../addons/index.ts";
import type { Check } from "../checks/index.ts";
import { gatewayChecks } from "../gateways/index.ts";
import { poolChecks } from "../pools/index.ts";
import { storageChecks } from "../storage/index.ts";

/** An addon, or a part of the cluster as a whole: what checks belong to. */
export interface CheckOwner {
  readonly id: string;
  readonly title: string;
  readonly checks: readonly PagedCheck[];
}

/** As much of a check as its page has. */
export type PagedCheck = Pick<Check, "id" | "title" | "why" | "severity" | "features">;

/** By title. */
export const checkOwners: readonly CheckOwner[] = [
  ...catalogue,
  { id: "gateways", title: "Gateways", checks: gatewayChecks },
  { id: "pools", title: "Node pools", checks: poolChecks },
  { id: "storage", title: "Storage classes", checks: storageChecks },
].toSorted((one, other) => (one.title.toLowerCase() < other.title.toLowerCase() ? -1 : 1));
