// Kubernetes' label selectors, as text (k8s.io/apimachinery labels.Parse): `a=b`, `a==b`, `a!=b`, `a in (x,y)`,
// `a notin (x)`, `a`, `!a`, all of them together; and as `matchLabels` and `matchExpressions`.
import type { Fields } from "./fields.ts";

export type LabelRequirement =
  | { readonly type: "in" | "notin"; readonly key: string; readonly values: readonly string[] }
  | { readonly type: "exists" | "absent"; readonly key: string };

/** Undefined for a text that isn't a selector. An empty one takes everything. */
export function parseLabelSelector(source: string): LabelRequirement[] | undefined {
  if (source.trim() === "") return [];
  return allOf(splitTerms(source).map((term) => toRequirement(term.trim())));
}

/** Undefined for a selector that no object fits, since it isn't one. An empty one takes everything. */
export function readLabelSelector(selector: Fields): LabelRequirement[] | undefined {
  const equal = selector.at("matchLabels").entries();
  const expressions = selector.at("matchExpressions").list();
  return allOf([...equal.map(([key, { raw }]) => toEqual(key, raw)), ...expressions.map(readExpression)]);
}

export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>>,
): boolean {
  return requirements.every((requirement) => isMet(requirement, labels));
}

function isMet(requirement: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
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

function toEqual(key: string, value: unknown): LabelRequirement | undefined {
  return typeof value === "string" ? { type: "in", key, values: [value] } : undefined;
}

function readExpression(expression: Fields): LabelRequirement | undefined {
  const key = expression.at("key").text() ?? "";
  const values = expression
    .at("values")
    .list()
    .flatMap(({ raw }) => (typeof raw === "string" ? [raw] : []));
  switch (expression.at("operator").text() ?? "") {
    case "In":
      return { type: "in", key, values };
    case "NotIn":
      return { type: "notin", key, values };
    case "Exists":
      return { type: "exists", key };
    case "DoesNotExist":
      return { type: "absent", key };
    default:
      return undefined;
  }
}

function allOf(requirements: readonly (LabelRequirement | undefined)[]): LabelRequirement[] | undefined {
  const found = requirements.filter((requirement) => requirement !== undefined);
  return found.length === requirements.length ? found : undefined;
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

function toRequirement(term: string): LabelRequirement | undefined {
  if (term.startsWith("!")) {
    const key = term.slice(1).trim();
    return isKey(key) ? { type: "absent", key } : undefined;
  }
  const operator = /==|!=|=|\(/.exec(term);
  if (!operator) return isKey(term) ? { type: "exists", key: term } : undefined;
  const left = term.slice(0, operator.index).trim();
  const right = term.slice(operator.index + operator[0].length).trim();
  if (operator[0] === "(") return toSet(left, right);
  if (!isKey(left) || !isValue(right)) return undefined;
  return { type: operator[0] === "!=" ? "notin" : "in", key: left, values: [right] };
}

/** `left` is the key and how it stands to the set, `right` the set without its first parenthesis. */
function toSet(left: string, right: string): LabelRequirement | undefined {
  const [key = "", type, ...more] = left.split(/\s+/);
  if (!isKey(key) || (type !== "in" && type !== "notin") || more.length > 0) return undefined;
  if (!right.endsWith(")")) return undefined;
  const values = right
    .slice(0, -1)
    .split(",")
    .map((one) => one.trim());
  return values.every((one) => isValue(one)) ? { type, key, values } : undefined;
}

/** A name of 63 characters at most, with or without the DNS name of whom it belongs to. */
function isKey(text: string): boolean {
  const [name = "", prefix, ...more] = text.split("/").reverse();
  if (more.length > 0 || name === "" || !isValue(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && dnsName.test(prefix));
}

function isValue(text: string): boolean {
  return text.length <= 63 && value.test(text);
}

// Each is tried on a term that has no space at its ends, so that no text is looked at in more ways than one.
const value = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
