// The values of variables: what Secrets give, then what the spec says. They go into a file for the owner alone.
import { leavesOf } from "../../../redact/index.ts";
import type { SecretValues } from "../../types.ts";
import { tofuErrors } from "../errors.ts";
import type { TofuSpec } from "../types.ts";

export async function resolveVariables(
  { variables, variablesFrom }: Pick<TofuSpec, "variables" | "variablesFrom">,
  secrets: SecretValues,
): Promise<Readonly<Record<string, unknown>>> {
  const merged: Record<string, unknown> = {};
  for (const [index, text] of variablesFrom.entries()) {
    const isSecret = text.includes("${secret:");
    const values = readObject(await secrets.resolve(text));
    if (values === undefined) throw tofuErrors.TOFU_VARIABLES_INVALID({ where: `variablesFrom[${index}]` });
    if (isSecret) concealLeaves(values, secrets);
    Object.assign(merged, values);
  }
  return { ...merged, ...((await resolveTexts(variables, secrets)) as object) };
}

/** Numbers and texts in it are secret one by one; those too short to be searched for stay. */
export function concealLeaves(value: unknown, secrets: Pick<SecretValues, "conceal">): void {
  for (const leaf of leavesOf(value)) secrets.conceal(leaf);
}

async function resolveTexts(value: unknown, secrets: SecretValues): Promise<unknown> {
  if (typeof value === "string") return await secrets.resolve(value);
  if (Array.isArray(value)) return await Promise.all(value.map((item) => resolveTexts(item, secrets)));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(async ([name, member]) => [name, await resolveTexts(member, secrets)]);
  return Object.fromEntries(await Promise.all(members));
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
