import type { Operation } from "../old-operation.ts";
import { fitnessListSchema, mostClustersOnPage } from "./fitness.ts";
import { fitnessPaths as paths } from "./paths.ts";

export const fitnessOperations: readonly Operation[] = [
  {
    id: "listFitness",
    method: "get",
    path: paths.list,
    summary: "Addons and features of all clusters, as their agents found them",
    needsToken: true,
    query: {
      cluster: "Only these clusters, separated by commas",
      clusterSelector: "Only clusters with such labels, in Kubernetes' syntax",
      limit: `Clusters on a page, at most ${mostClustersOnPage}; fewer, with \`next\`, where more than 8 MiB would have to be sent`,
      cursor: "The `next` of the page before",
    },
    success: { status: 200, description: "Clusters by name", body: fitnessListSchema },
  },
];
