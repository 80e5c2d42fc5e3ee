// Names with `*` for any run of characters. Compiled once: a policy has few patterns and judges every request.
import type { RequestAttributes } from "@fairlead/kube";

export function matchesAny(patterns: readonly string[] | undefined, text: string): boolean {
  return patterns?.some((pattern) => matches(pattern, text)) === true;
}

export function matchesResource(
  pattern: string,
  { apiGroup, resource, subresource }: RequestAttributes,
  options: { readonly coversSubresources: boolean },
): boolean {
  if (pattern === "*") return true;
  const [group = "", kind = "", sub] = pattern.split("/");
  if (!matches(group, apiGroup === "" ? "core" : apiGroup) || !matches(kind, resource)) return false;
  if (sub === undefined) return subresource === "" || options.coversSubresources;
  return subresource !== "" && matches(sub, subresource);
}

function matches(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
  let known = compiled.get(pattern);
  if (known === undefined) {
    known = new RegExp(`^${pattern.replace(/[^\w*]/g, "\\$&").replaceAll("*", ".*")}$`, "s");
    compiled.set(pattern, known);
  }
  return known.test(text);
}

const compiled = new Map<string, RegExp>();
