// The Secrets that a spec lets the programs of its command read, so that people see them before they approve.
import { z } from "zod";

export const readableSecretsShape: z.ZodDefault<z.ZodArray<z.ZodString>> = z
  .array(
    z
      .string()
      .max(317)
      .regex(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\/[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/, "must look like NAMESPACE/NAME"),
  )
  .max(50)
  .default([]);
