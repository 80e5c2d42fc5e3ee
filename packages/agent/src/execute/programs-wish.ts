import type { SecretRules } from "./api-door/index.ts";

/** What the programs of a kind may do in the cluster. */
export interface ProgramsWish {
  /** A plan reads, and asks for dry runs. */
  readonly phase: "plan" | "apply";
  /** The Secrets that they see. */
  readonly secrets: SecretRules;
  /** Of the hosts that the policy allows these alone, as patterns, by that rule of it; all of them without it. */
  readonly hosts?: { readonly allow: readonly string[]; readonly rule: string } | undefined;
}
