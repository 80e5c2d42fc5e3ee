import { z } from "zod";
import type { Infer } from "./infer.ts";
import { roleNames as names } from "./limits.ts";

/** A part that an agent process can play; an identity names one or more of them. */
export const roleSchema = z.enum(names);
export type Role = Infer<typeof roleSchema>;

export const roleNames: readonly Role[] = names;

/** At least one role, each once. */
export const rolesSchema = z
  .array(roleSchema)
  .min(1)
  .max(4)
  .refine((roles) => new Set(roles).size === roles.length, { message: "names a role twice" });
