import { KnownSecrets, redactJson } from "../../redact/index.ts";
import type { SecretValues } from "../types.ts";
import { failed } from "./outcome.ts";
import type { Outcome } from "./types.ts";

/** What is told of a ConfigMap that the API server refuses with this error, in a command that has read these secrets. */
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
