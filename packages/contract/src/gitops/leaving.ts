import { z } from "zod";
import type { Infer } from "../infer.ts";

export const leavingApplicationsSchema = z
  .object({
    cluster: z.string().describe("Name of the cluster"),
    applications: z.number().int().describe("Number of applications on the hub that belong to the cluster"),
    deleting: z.number().int().describe("Number of these that are being deleted and wait for the cluster"),
  })
  .meta({
    id: "LeavingApplications",
    description: "Applications on the hub that wait for a cluster when they are deleted",
  });
export type LeavingApplications = Infer<typeof leavingApplicationsSchema>;
