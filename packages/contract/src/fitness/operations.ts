import { defineOperations } from "../operation.ts";
import { fitnessListSchema, fitnessQuerySchema } from "./fitness.ts";

export const fitnessOperations = defineOperations({
  listFitness: {
    method: "GET",
    path: "/api/v1/fitness",
    summary: "Addons and features of all clusters, as their agents found them",
    query: fitnessQuerySchema,
    success: { status: 200, description: "Clusters by name", body: fitnessListSchema },
    errors: [
      "OBJECTS_QUERY_INVALID",
      "OBJECTS_SELECTOR_INVALID",
      "OBJECTS_CLUSTER_UNKNOWN",
      "OBJECTS_NO_CLUSTER_VISIBLE",
      "OBJECTS_KIND_UNKNOWN",
      "OBJECTS_KIND_NOT_OBSERVED",
      "OBJECTS_FORBIDDEN",
      "OBJECTS_CURSOR_INVALID",
      "OBJECTS_TOO_BUSY",
    ],
  },
});
