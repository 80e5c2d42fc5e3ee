import { z } from "zod";

/** A part that an agent process may play; an identity names one or more of them. */
export type Role = "observe" | "proxy" | "execute" | "gitops";

export const roleNames: readonly Role[] = ["observe", "proxy", "execute", "gitops"];

export const roleSchema: z.ZodType<Role> = z.enum(["observe", "proxy", "execute", "gitops"]);

/** At least one role, each once. */
export const rolesSchema: z.ZodType<Role[]> = z
  .array(roleSchema)
  .min(1)
  .max(4)
  .refine((roles) => new Set(roles).size === roles.length, { message: "names a role twice" });
