import { catalogue } from "../addons/index.ts";
import { gatewayChecks } from "../gateways/index.ts";
import { poolChecks } from "../pools/index.ts";
import { storageChecks } from "../storage/index.ts";
import type { CheckOwner } from "./check-pages.ts";

/** Everything that has checks: addons, and after them the cluster as a whole. */
export const checkOwners: readonly CheckOwner[] = [
  ...catalogue,
  { id: "gateways", title: "Gateways and domains", checks: gatewayChecks },
  { id: "pools", title: "Node pools", checks: poolChecks },
  { id: "storage", title: "Storage classes", checks: storageChecks },
];
