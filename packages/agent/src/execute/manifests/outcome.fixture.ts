import { KnownSecrets, redactJson } from "../../redact/index.ts";
import type { SecretValues } from "../types.ts";
import { failed } from "./outcome.ts";
import type { Outcome } from "./types.ts";

/** Returns the report of a command that read these secrets, and whose ConfigMap the API server refused with this error. */
export function tellRefusal(
  error: unknown,
  options: { readonly secrets?: readonly string[]; readonly where?: string } = {},
): Outcome {
  const { secrets = [], where } = options;
  const known = new KnownSecrets();
  for (const secret of secrets) known.add(secret);
  const task = { secrets: { redact: (json: unknown) => redactJson(known, json) } as SecretValues };
  return failed({ task, name: { apiVersion: "v1", kind: "ConfigMap", name: "a" }, error, where });
}
