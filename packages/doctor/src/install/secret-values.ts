import { Fields } from "@fairlead/kernel";
import type { ClusterObject } from "../snapshot/index.ts";

/**
 * Slots in values that hold secrets, such as `auth.adminPassword`: what ends in a Secret once it is rendered, and what is
 * named as secrets are. An application shows its values to all who may see it.
 */
export function findSecretValues(values: unknown, rendered: readonly ClusterObject[]): readonly string[] {
  const kept = rendered.filter(({ kind }) => kind === "Secret").flatMap(textsOf);
  return leavesOf(values, [])
    .filter(({ path, text }) => isSecretName(path.at(-1) ?? "") || kept.some((each) => isIn(text, each)))
    .map(({ path }) => path.join("."));
}

interface Leaf {
  readonly path: readonly string[];
  readonly text: string;
}

function leavesOf(value: unknown, path: readonly string[]): Leaf[] {
  if (typeof value === "string" || typeof value === "number")
    return value === "" ? [] : [{ path, text: String(value) }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

function textsOf(secret: ClusterObject): string[] {
  const fields = new Fields(secret);
  const decoded = fields
    .at("data")
    .entries()
    .map(([, value]) => atobOrNothing(value.text()));
  return [
    ...decoded,
    ...fields
      .at("stringData")
      .entries()
      .map(([, value]) => value.scalar() ?? ""),
  ];
}

function atobOrNothing(text: string | undefined): string {
  return text === undefined ? "" : Buffer.from(text, "base64").toString("utf8");
}

/** A short text is in many others by chance. */
function isIn(text: string, kept: string): boolean {
  return text === kept || (text.length >= 6 && kept.includes(text));
}

/** True for names of secret values, and not for names of a Secret (`existingSecret`, `passwordSecretName`). */
function isSecretName(name: string): boolean {
  return /(password|passphrase|token|apikey|api_key|(private|secret|access)_?key|(client|shared)_?secret|credentials?)$/i.test(
    name,
  );
}
