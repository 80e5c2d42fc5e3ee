import type { Container } from "./workload.ts";

export type EnvValue =
  | { readonly is: "unset" }
  | { readonly is: "set"; readonly value: string }
  /** It comes from a Secret, a ConfigMap or the pod itself. */
  | { readonly is: "elsewhere" };

/** The last entry of a name counts, as in a running container. */
export function readEnv({ env }: Container, name: string): EnvValue {
  const entry = env.findLast((each) => each.at("name").text() === name);
  if (!entry) return { is: "unset" };
  return entry.at("valueFrom").exists ? { is: "elsewhere" } : { is: "set", value: entry.at("value").scalar() ?? "" };
}
