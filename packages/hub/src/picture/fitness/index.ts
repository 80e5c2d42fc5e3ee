// The room of the matrix: addons and features of all clusters.
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { InventoryReader } from "../inventory/index.ts";
import type { AgeReader, ObjectsRoom } from "../objects/index.ts";
import { createKnownFindings } from "./known-findings.ts";
import { createFitness, type Fitness } from "./service.ts";
import { createFitnessStore } from "./store.ts";

export { createFitnessRoutes } from "./routes.ts";

export function openFitness(options: {
  /** For what people ask. */
  readonly queries: Kysely<Tables>;
  readonly objects: Pick<ObjectsRoom, "requests">;
  readonly ages: Pick<AgeReader, "read">;
  readonly inventory: Pick<InventoryReader, "history">;
  /** 8 MiB unless told. */
  readonly maxAnswerBytes?: number;
}): Fitness {
  const { queries, objects, ages, inventory, maxAnswerBytes } = options;
  const findings = createKnownFindings({ store: createFitnessStore(queries), history: () => inventory.history });
  return createFitness({ requests: objects.requests, ages, findings, maxAnswerBytes });
}
