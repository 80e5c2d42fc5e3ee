import { z } from "zod";
import { timestampSchema } from "./primitives.ts";

export type PrincipalKind = "admin-token" | "user" | "robot";

/** The owner of the bearer token. */
export interface Whoami {
  /** `admin`, `alice@example.com`, `robot:ci`. */
  readonly name: string;
  readonly kind: PrincipalKind;
  /** As the identity provider said at the sign-in. */
  readonly groups: string[];
  readonly sessionId?: string | undefined;
  /** When the sign-in itself ends; refreshing doesn't go beyond it. */
  readonly endsAt?: string | undefined;
  readonly bindings: WhoamiBinding[];
}

export interface WhoamiBinding {
  readonly role: string;
  /** In words: `all`, `east, west`, `env=prod`. */
  readonly clusters: string;
}

/** A hub of version 0.1 says no more than the name; it knew only its admin. */
export const whoamiSchema: z.ZodType<Whoami> = z
  .object({
    name: z.string(),
    kind: z.enum(["admin-token", "user", "robot"]).default("admin-token"),
    groups: z.array(z.string()).default([]),
    sessionId: z.string().optional(),
    endsAt: timestampSchema.optional(),
    bindings: z.array(z.object({ role: z.string(), clusters: z.string() })).default([]),
  })
  .meta({ id: "Whoami" });
