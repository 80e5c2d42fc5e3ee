import type { z } from "zod";
import { subjectErrors } from "./subject-errors.ts";

/** Returns the body in its schema's type, or throws a coded error that names its faults. Values are never repeated. */
export function parse<T>(schema: z.ZodType<T>, sent: unknown, where = "body"): T {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || where} ${message}`);
  throw subjectErrors.REQUEST_INVALID({ problems: issues.join("; ") });
}
