// Field selectors over any field of an object by its path: `spec.nodeName=a`, `status.phase!=Running`. A field that
// isn't there is the empty text, as in Kubernetes.
import type { Fields } from "@fairlead/kube";
import { selectorInvalid } from "./errors.ts";

export interface FieldRequirement {
  readonly path: readonly string[];
  readonly isEqual: boolean;
  readonly value: string;
}

/** Throws OBJECTS_SELECTOR_INVALID. */
export function parseFieldSelector(source: string): FieldRequirement[] {
  // A comma, an equals sign or a backslash in a value stands behind a backslash, and nothing else does. As in Kubernetes
  // a selector with another backslash is none: what was left out would take more objects.
  if (!/^(?:[^\\]|\\[,=\\])*$/.test(source)) throw selectorInvalid(source);
  const terms = source.match(/(?:\\.|[^,\\])+/g) ?? [];
  return terms.map((term) => {
    const found = term.match(termPattern);
    if (!found) throw selectorInvalid(source);
    const [, path = "", operator, value = ""] = found;
    return { path: path.split("."), isEqual: operator !== "!=", value: value.replace(/\\([,=\\])/g, "$1") };
  });
}

const termPattern = /^\s*([A-Za-z][\w-]*(?:\.(?:[A-Za-z_][\w-]*|0|[1-9]\d{0,8}))*)\s*(==|=|!=)((?:[^=\\]|\\.)*)$/s;

export function matchesFields(requirements: readonly FieldRequirement[], object: Fields): boolean {
  return requirements.every(({ path, isEqual, value }) => isField(object.at(...path), value) === isEqual);
}

/** A list or a map is no text, not even the empty one. */
function isField(field: Fields, value: string): boolean {
  return (field.scalar() ?? (field.exists ? undefined : "")) === value;
}
