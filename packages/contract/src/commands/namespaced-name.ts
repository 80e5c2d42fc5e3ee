import { z } from "zod";

/** A Secret or ConfigMap. */
export const namespacedNameSchema: z.ZodString = z
  .string()
  .max(317)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, "must be NAMESPACE/NAME");
