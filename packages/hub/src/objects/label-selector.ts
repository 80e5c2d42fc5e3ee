// Kubernetes' label selectors (k8s.io/apimachinery labels.Parse): `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x)`,
// `a`, `!a`, all of them together.
import { selectorInvalid } from "./errors.ts";

export type Requirement =
  | { readonly type: "in" | "notin"; readonly key: string; readonly values: readonly string[] }
  | { readonly type: "exists" | "absent"; readonly key: string };

/** Throws OBJECTS_SELECTOR_INVALID. */
export function parseLabelSelector(source: string): Requirement[] {
  const requirements: Requirement[] = [];
  let rest = source.trim();
  while (rest !== "") {
    const found = pattern.exec(rest);
    if (!found) throw selectorInvalid(source);
    requirements.push(toRequirement(found));
    rest = rest.slice(found[0].length);
  }
  return requirements;
}

export function matchesLabels(requirements: readonly Requirement[], labels: Readonly<Record<string, string>>): boolean {
  return requirements.every((requirement) => isMet(requirement, labels));
}

function isMet(requirement: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.type) {
    case "in":
      return value !== undefined && requirement.values.includes(value);
    case "notin":
      return value === undefined || !requirement.values.includes(value);
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
  }
}

function toRequirement([
  ,
  negated,
  absentKey,
  key = "",
  operator,
  equal = "",
  set,
  list = "",
]: RegExpExecArray): Requirement {
  if (negated !== undefined) return { type: "absent", key: absentKey ?? "" };
  if (operator !== undefined) return { type: operator === "!=" ? "notin" : "in", key, values: [equal] };
  if (set === undefined) return { type: "exists", key };
  return { type: set === "in" ? "in" : "notin", key, values: list.split(",").map((value) => value.trim()) };
}

const label = "[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?";
const value = "(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?";
const pattern = new RegExp(
  `^\\s*(?:(!)\\s*(${label})|(${label})(?:\\s*(==|=|!=)\\s*(${value})|\\s+(in|notin)\\s*\\(\\s*(${value}(?:\\s*,\\s*${value})*)\\s*\\))?)\\s*(?:,(?=\\s*[!A-Za-z0-9])|$)`,
);
