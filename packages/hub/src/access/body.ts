import type { z } from "zod";
import { requestInvalid } from "./subject-errors.ts";

/** What was sent in its schema's type, or a coded error that names what is wrong with it. Values are never repeated. */
export function parse<T>(schema: z.ZodType<T>, sent: unknown, where = "body"): T {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || where} ${message}`);
  throw requestInvalid(issues.join("; "));
}
