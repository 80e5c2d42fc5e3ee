import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { MetricSources } from "../telemetry/index.ts";

/** A wing's part of the hub's listeners and metrics. */
export interface Additions {
  /** For all routes of people, before the first of them. */
  readonly addHooks?: (app: FastifyInstance) => void;
  /** People's routes for those who haven't signed in. */
  readonly openRoutes?: readonly FastifyPluginAsync[];
  /** People's routes for those who have. */
  readonly signedInRoutes?: readonly FastifyPluginAsync[];
  readonly agentRoutes?: readonly FastifyPluginAsync[];
  readonly metrics?: Partial<MetricSources>;
}
