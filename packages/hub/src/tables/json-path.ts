// The part of kubectl's JSONPath that printer columns of CRDs and `-o jsonpath` use: members, indexes, `*`, and filters
// that compare one member with one value. Whatever else is refused, so that nothing is shown that wasn't meant.
import type { Fields } from "@fairlead/kube";

export type JsonPath = readonly Step[];

type Step =
  | { readonly type: "member"; readonly name: string }
  | { readonly type: "index"; readonly at: number }
  | { readonly type: "all" }
  | { readonly type: "filter"; readonly member: readonly string[]; readonly isEqual: boolean; readonly value: string };

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

/** All that the path leads to. */
export function findAll(path: JsonPath, object: Fields): Fields[] {
  return path.reduce<Fields[]>((found, step) => found.flatMap((fields) => follow(step, fields)), [object]);
}

function follow(step: Step, fields: Fields): Fields[] {
  switch (step.type) {
    case "member": {
      const next = fields.at(step.name);
      return next.exists ? [next] : [];
    }
    case "index":
      return fields.list().slice(step.at, step.at === -1 ? undefined : step.at + 1);
    case "all":
      return fields.list().length > 0 ? fields.list() : fields.entries().map(([, value]) => value);
    case "filter":
      return fields.list().filter((item) => {
        const value = item.at(...step.member);
        return value.exists && (value.scalar() === step.value) === step.isEqual;
      });
  }
}

const matchers: readonly { readonly pattern: RegExp; readonly make: (found: RegExpExecArray) => Step }[] = [
  { pattern: /^(?:\.\*|\[\*\])/, make: () => ({ type: "all" }) },
  {
    pattern: /^\.((?:[^.[\]\\]|\\.)+)/,
    make: ([, name = ""]) => ({ type: "member", name: name.replace(/\\(.)/g, "$1") }),
  },
  { pattern: /^\[(-?\d+)\]/, make: ([, at = ""]) => ({ type: "index", at: Number(at) }) },
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
