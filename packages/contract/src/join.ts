import { z } from "zod";
import type { Infer } from "./infer.ts";
import { tokenTtlLimits } from "./limits.ts";
import { timestampSchema } from "./primitives.ts";
import { rolesSchema } from "./role.ts";

const helmVariantSchema = z.object({
  when: z.string().describe("Environment that needs this variant, such as `behind an HTTP proxy`"),
  before: z.string().optional().describe("Shell lines to run first; absent where there are none"),
  arguments: z.string().describe("Arguments to add to the last line of the command"),
});
export type HelmVariant = Infer<typeof helmVariantSchema>;

const helmJoinSchema = z
  .object({
    command: z
      .string()
      .describe("Shell lines that install the agent by Helm; running them again, also with a new token, is safe"),
    variants: z.array(helmVariantSchema).describe("Changes to the command for special environments"),
  })
  .meta({
    id: "HelmJoin",
    description: "How someone who may create ClusterRoles in the cluster installs the agent there",
  });
export type HelmJoin = Infer<typeof helmJoinSchema>;

export const joinSchema = z
  .object({
    token: z
      .string()
      .min(1)
      .optional()
      .describe("Secret join token, shown this once; absent where the hub knows its agents by a service mesh"),
    expiresAt: timestampSchema.optional().describe("RFC 3339 time at which the token expires; absent without a token"),
    hubAgentUrl: z.string().min(1).describe("URL of the hub's listener for agents, as agents reach it"),
    command: z.string().describe("Command that starts an agent; it names the file of the token, not the token itself"),
    helm: helmJoinSchema
      .optional()
      .describe("The same by Helm; absent where the chart doesn't have the requested roles"),
  })
  .meta({ id: "Join", description: "What a new agent needs for its first connection" });
export type Join = Infer<typeof joinSchema>;

export { tokenTtlLimits };

export const tokenTtlMsSchema = z.int().min(tokenTtlLimits.minMs).max(tokenTtlLimits.maxMs);

export const createJoinTokenRequestSchema = z
  .strictObject({
    roles: rolesSchema.optional().describe("Roles that the agent can enroll for (default: those of the cluster)"),
    tokenTtlMs: tokenTtlMsSchema
      .optional()
      .describe("Lifetime of the token in milliseconds, from one second to seven days (default one hour)"),
  })
  .meta({ id: "CreateJoinTokenRequest", description: "A request for a new join token" });
export type CreateJoinTokenRequest = Infer<typeof createJoinTokenRequestSchema>;
