import { toQueryString } from "../audit/index.ts";
import type { CallOptions, Send } from "../send.ts";
import { type FitnessList, type FitnessQuery, fitnessListSchema } from "./fitness.ts";
import { fitnessPaths as paths } from "./paths.ts";

export interface FitnessCalls {
  listFitness(query: FitnessQuery, options?: CallOptions): Promise<FitnessList>;
}

export function createFitnessCalls(send: Send): FitnessCalls {
  return {
    listFitness: (query, call) =>
      send({ ...call, method: "GET", path: paths.list + toQueryString(query), answer: fitnessListSchema }),
  };
}
