import { tofuErrors } from "./errors.ts";

/** OpenTofu's own words name arguments of its command line, which nobody here can give. Throws TOFU_VARIABLES_MISSING. */
export function requireVariables(errors: readonly string[]): void {
  const names = errors.flatMap((error) => missing.exec(error)?.[1] ?? []);
  if (names.length === 0) return;
  throw tofuErrors.TOFU_VARIABLES_MISSING({ names: [...new Set(names)].sort().join(", ") });
}

const missing = /^No value for required variable\b.*?The root module input variable "([^"]+)" is not set/s;
