import type { z } from "zod";
import { bodyErrors } from "./errors.ts";

/** Returns the body in its schema's type, or throws a coded error that names its faults. Values are never repeated. */
export function parse<T>(schema: z.ZodType<T>, sent: unknown, where = "body"): T {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || where} ${message}`);
  throw bodyErrors.REQUEST_INVALID({ problems: issues.join("; ") });
}
