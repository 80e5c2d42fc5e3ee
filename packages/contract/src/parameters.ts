import { z } from "zod";

/** In paths. The hub answers for an unknown name, whatever its form. */
export const clusterNameParameter = z.string().describe("Name of the cluster");
