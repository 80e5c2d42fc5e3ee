import type { z } from "zod";
import { queryInvalid } from "./errors.ts";

export function parseQuery<T>(schema: z.ZodType<T>, query: unknown): T {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(" "));
  throw queryInvalid(problems.join("; "));
}
