// Kubernetes' label selectors (k8s.io/apimachinery labels.Parse): `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x)`,
// `a`, `!a`, all of them together.
import { selectorInvalid } from "./errors.ts";

export type Requirement =
  | { readonly type: "in" | "notin"; readonly key: string; readonly values: readonly string[] }
  | { readonly type: "exists" | "absent"; readonly key: string };

/** Throws OBJECTS_SELECTOR_INVALID. */
export function parseLabelSelector(source: string): Requirement[] {
  if (source.trim() === "") return [];
  return splitTerms(source).map((term) => {
    const requirement = toRequirement(term.trim());
    if (!requirement) throw selectorInvalid(source);
    return requirement;
  });
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

/** At commas, but not at those of a set. */
function splitTerms(source: string): string[] {
  const terms: string[] = [];
  let start = 0;
  let isInSet = false;
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at];
    if (char === "(") isInSet = true;
    else if (char === ")") isInSet = false;
    else if (char === "," && !isInSet) {
      terms.push(source.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, source.slice(start)];
}

function toRequirement(term: string): Requirement | undefined {
  if (term.startsWith("!")) {
    const key = term.slice(1).trim();
    return label.test(key) ? { type: "absent", key } : undefined;
  }
  const operator = /==|!=|=|\(/.exec(term);
  if (!operator) return label.test(term) ? { type: "exists", key: term } : undefined;
  const left = term.slice(0, operator.index).trim();
  const right = term.slice(operator.index + operator[0].length).trim();
  if (operator[0] === "(") return toSet(left, right);
  if (!label.test(left) || !value.test(right)) return undefined;
  return { type: operator[0] === "!=" ? "notin" : "in", key: left, values: [right] };
}

/** `left` is the key and how it stands to the set, `right` the set without its first parenthesis. */
function toSet(left: string, right: string): Requirement | undefined {
  const [key = "", type, ...more] = left.split(/\s+/);
  if (!label.test(key) || (type !== "in" && type !== "notin") || more.length > 0) return undefined;
  if (!right.endsWith(")")) return undefined;
  const values = right
    .slice(0, -1)
    .split(",")
    .map((one) => one.trim());
  return values.every((one) => value.test(one)) ? { type, key, values } : undefined;
}

// Each is tried on a term that has no space at its ends, so that no text is looked at in more ways than one.
const label = /^[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?$/;
const value = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
