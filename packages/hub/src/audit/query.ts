import type { z } from "zod";
import { parseInput } from "../server/index.ts";
import { queryInvalid } from "./errors.ts";

export function parseQuery<T>(schema: z.ZodType<T>, query: unknown): T {
  return parseInput(schema, query, queryInvalid);
}
