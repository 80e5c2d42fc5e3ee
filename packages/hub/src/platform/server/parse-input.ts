import type { FairleadError } from "@fairlead/kernel";
import type { z } from "zod";

/** A query or a body in its schema's type; otherwise `fail` makes the error from what is wrong with it. */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, fail: (problems: string) => FairleadError): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(" "));
  throw fail(problems.join("; "));
}
