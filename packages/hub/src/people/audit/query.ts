import type { z } from "zod";
import { parseInput } from "../../platform/server/index.ts";
import { auditQueryInvalid } from "./errors.ts";

export function parseQuery<T>(schema: z.ZodType<T>, query: unknown): T {
  return parseInput(schema, query, auditQueryInvalid);
}
