// The hubs that share a database.
import { z } from "zod";
import type { Infer } from "./infer.ts";
import type { Operation } from "./operation.ts";
import { timestampSchema } from "./primitives.ts";
import type { CallOptions, Send } from "./send.ts";

const hubMemberSchema = z.object({
  id: z.string().describe("ID of the hub process; a new one at each start"),
  address: z
    .string()
    .optional()
    .describe("HOST:PORT at which other hubs reach this hub; absent for a hub that doesn't share its database"),
  version: z.string().describe("Version of the hub's program"),
  since: timestampSchema.describe("RFC 3339 time since which the hub has been alive without interruption"),
  silentMs: z.int().describe("Milliseconds since its last heartbeat, by the database's clock"),
  links: z.int().describe("Number of connections of agents that have identified themselves"),
  agents: z.int().describe("Number of agent processes behind these connections"),
  reach: z
    .enum(["self", "linked", "unlinked"])
    .describe(
      "`self`: this hub answered the request. `linked`: its connection to the answering hub works. `unlinked`: it doesn't",
    ),
});
export type HubMember = Infer<typeof hubMemberSchema>;

export const hubListSchema = z
  .object({ items: z.array(hubMemberSchema).describe("Hubs, in the order of their IDs") })
  .meta({ id: "HubList", description: "The hubs that share a database" });
export type HubList = Infer<typeof hubListSchema>;

export const hubPaths = { list: "/api/v1/hubs" } as const;

export const hubOperations: readonly Operation[] = [
  {
    id: "listHubs",
    method: "get",
    path: hubPaths.list,
    summary: "The hubs that share the database",
    needsToken: true,
    success: { status: 200, description: "All of them, in the order of their ids", body: hubListSchema },
  },
];

export interface HubCalls {
  listHubs(options?: CallOptions): Promise<HubList>;
}

export function createHubCalls(send: Send): HubCalls {
  return { listHubs: (call) => send({ ...call, method: "GET", path: hubPaths.list, answer: hubListSchema }) };
}
