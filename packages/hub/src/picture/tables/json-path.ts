// The part of kubectl's JSONPath that printer columns of CRDs use: members, indexes, `*`, and filters that compare one
// member with one value. Everything else is refused, so that nothing is shown that wasn't meant.

export type JsonPath = readonly Step[];

type Step =
  | { readonly type: "member"; readonly name: string }
  | { readonly type: "index"; readonly at: number }
  | { readonly type: "all" }
  | { readonly type: "filter"; readonly member: readonly string[]; readonly isEqual: boolean; readonly value: string };

/**
 * The looks that are left; below 0: something was left out. A path with several `*` could lead to every part of an
 * object.
 */
export interface Effort {
  left: number;
}

/** Undefined for a path that isn't understood. */
export function parseJsonPath(source: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = source
    .trim()
    .replace(/^\{(.*)\}$/s, "$1")
    .replace(/^\$/, "");
  if (rest !== "" && !/^[.[]/.test(rest)) rest = `.${rest}`;
  while (rest !== "") {
    const match = matchers.map(({ pattern, make }) => ({ found: pattern.exec(rest), make })).find(({ found }) => found);
    if (!match?.found) return undefined;
    steps.push(match.make(match.found));
    rest = rest.slice(match.found[0].length);
  }
  return steps;
}

/** Finds the values that the path leads to, one after the other. Ends early when the effort is used up. */
export function* findAlong(path: JsonPath, value: unknown, effort: Effort): Generator<unknown> {
  const [step, ...rest] = path;
  if (!step) {
    yield value;
    return;
  }
  for (const next of follow(step, value, effort)) {
    effort.left -= 1;
    if (effort.left < 0) return;
    yield* findAlong(rest, next, effort);
  }
}

/** Lists the members of an object or a list. Listing many names costs as much as looking at them. */
export function* membersOf(value: unknown, effort: Effort): Generator<readonly [name: string, member: unknown]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield [String(index), item];
  } else if (isRecord(value)) {
    const names = Object.keys(value);
    effort.left -= names.length;
    for (const name of names) yield [name, value[name]];
  }
}

function* follow(step: Step, value: unknown, effort: Effort): Generator<unknown> {
  switch (step.type) {
    case "member":
      yield* present(memberOf(value, step.name));
      break;
    case "index":
      if (Array.isArray(value)) yield* present(value.at(step.at));
      break;
    case "all":
      for (const [, member] of membersOf(value, effort)) yield member;
      break;
    case "filter":
      if (Array.isArray(value)) yield* filter(step, value, effort);
      break;
    default:
      step satisfies never;
  }
}

function* filter(
  { member, isEqual, value }: Extract<Step, { type: "filter" }>,
  items: readonly unknown[],
  effort: Effort,
): Generator<unknown> {
  for (const item of items) {
    effort.left -= member.length;
    if (effort.left < 0) return;
    const found = member.reduce<unknown>(memberOf, item);
    if (found !== undefined && found !== null && (textOf(found) === value) === isEqual) yield item;
  }
}

function* present(value: unknown): Generator<unknown> {
  if (value !== undefined && value !== null) yield value;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "object" ? undefined : String(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const matchers: readonly { readonly pattern: RegExp; readonly make: (found: RegExpExecArray) => Step }[] = [
  { pattern: /^(?:\.\*|\[\*\])/, make: () => ({ type: "all" }) },
  {
    pattern: /^\.((?:[^.[\]\\]|\\.)+)/,
    make: ([, name = ""]) => ({ type: "member", name: name.replace(/\\(.)/g, "$1") }),
  },
  { pattern: /^\[(-?\d{1,9})\]/, make: ([, at = ""]) => ({ type: "index", at: Number(at) }) },
  { pattern: /^\[(?:'([^']*)'|"([^"]*)")\]/, make: ([, one, other]) => ({ type: "member", name: one ?? other ?? "" }) },
  {
    pattern: /^\[\?\(\s*@\.([\w.-]+)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([\w.-]+))\s*\)\]/,
    make: ([, member = "", operator, single, double, bare]) => ({
      type: "filter",
      member: member.split("."),
      isEqual: operator === "==",
      value: single ?? double ?? bare ?? "",
    }),
  },
];
