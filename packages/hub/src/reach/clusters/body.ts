import type { z } from "zod";
import { clustersErrors } from "./errors.ts";

/** The body in its schema's type, or a coded error that names what is wrong with it. Values are never repeated. */
export function parseBody<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  if (issues.some(({ path }) => path[0] === "name")) throw clustersErrors.CLUSTER_NAME_INVALID();
  throw clustersErrors.REQUEST_INVALID({
    problems: issues.map(({ path, message }) => `${path.join(".") || "body"} ${message}`).join("; "),
  });
}
