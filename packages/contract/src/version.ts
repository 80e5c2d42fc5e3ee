import { z } from "zod";
import type { Infer } from "./infer.ts";

export const hubVersionSchema = z
  .object({
    version: z.string().describe("Version of the hub's program, such as `0.1.0`"),
    hubInstanceId: z.string().describe("ID of this hub process; a new one at each start"),
    protocolVersions: z.array(z.string()).describe("Versions of the link protocol that this hub speaks"),
    clusterDomain: z
      .string()
      .optional()
      .describe("Domain whose subdomains reach clusters, such as `k8s.hub.example.com` for `east.k8s.hub.example.com`"),
    trustDomain: z.string().describe("SPIFFE trust domain of the hub's certificate authority"),
  })
  .meta({ id: "HubVersion", description: "Version and identity of a hub" });
export type HubVersion = Infer<typeof hubVersionSchema>;
