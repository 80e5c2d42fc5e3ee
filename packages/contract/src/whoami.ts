import { z } from "zod";
import type { Infer } from "./infer.ts";
import { timestampSchema } from "./primitives.ts";

const principalKindSchema = z.enum(["admin-token", "user", "robot"]);
export type PrincipalKind = Infer<typeof principalKindSchema>;

const whoamiBindingSchema = z.object({
  role: z.string().describe("Name of the role that the binding grants"),
  clusters: z.string().describe("Clusters that it grants the role in, in words: `all`, `east, west` or `env=prod`"),
  endsAt: timestampSchema
    .optional()
    .describe("RFC 3339 time at which the binding ends by itself; absent for one that doesn't"),
});
export type WhoamiBinding = Infer<typeof whoamiBindingSchema>;

/** A hub of version 0.1 says no more than the name; it knew only its admin. */
export const whoamiSchema = z
  .object({
    name: z.string().describe("Name of the caller: `admin`, `alice@example.com` or `robot:ci`"),
    kind: principalKindSchema.default("admin-token").describe("Kind of account that the token belongs to"),
    groups: z
      .array(z.string())
      .default([])
      .describe("Groups of the caller, as the identity provider reported them at sign-in"),
    sessionId: z.string().optional().describe("ID of the sign-in session; absent for tokens without one"),
    endsAt: timestampSchema
      .optional()
      .describe("RFC 3339 time at which the session expires, which refreshing doesn't extend"),
    bindings: z.array(whoamiBindingSchema).default([]).describe("Bindings that grant the caller roles"),
  })
  .meta({ id: "Whoami", description: "The owner of the bearer token" });
export type Whoami = Infer<typeof whoamiSchema>;
