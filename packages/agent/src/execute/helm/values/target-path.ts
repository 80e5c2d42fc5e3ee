// Slots in values: `database.password`, `hosts[0].name`, `annotations.example\.com/x`.
import type { PathStep } from "../types.ts";

/** Undefined for what is no path. `\` takes the next character as it is. */
export function readTargetPath(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  let rest = text;
  while (rest !== "") {
    const match = (steps.length === 0 ? first : next).exec(rest);
    if (match === null) return undefined;
    const [whole, name, index] = match;
    if (name !== undefined) steps.push(name.replace(/\\(.)/gs, "$1"));
    else steps.push(Number(index));
    rest = rest.slice(whole.length);
  }
  return steps.length === 0 || steps.length > maxDepth ? undefined : steps;
}

/** Values with this one at that place; undefined where something else is in the way. */
export function putAt(values: unknown, [step, ...rest]: readonly PathStep[], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") return putItem(values ?? [], step, rest, value);
  const members = values ?? {};
  if (typeof members !== "object" || Array.isArray(members)) return undefined;
  const known = members as Readonly<Record<string, unknown>>;
  const inner = putAt(Object.hasOwn(known, step) ? known[step] : undefined, rest, value);
  return inner === undefined ? undefined : Object.fromEntries([...Object.entries(known), [step, inner]]);
}

function putItem(list: unknown, index: number, rest: readonly PathStep[], value: unknown): unknown {
  // A gap would be an item that nobody wrote.
  if (!Array.isArray(list) || index > list.length) return undefined;
  const inner = putAt(list[index], rest, value);
  return inner === undefined ? undefined : [...list.slice(0, index), inner, ...list.slice(index + 1)];
}

const first = /^(?:((?:[^.[\]\\]|\\.)+))/s;
const next = /^(?:\.((?:[^.[\]\\]|\\.)+)|\[(\d{1,4})\])/s;
const maxDepth = 32;
