// Argo CD's patterns: `*` and `?`, sets as in `[a-c]`, alternatives as in `{a,b}`. A `*` also stands for slashes. Pure.
// Regular expressions aren't among them: one that somebody writes into a project could hold the hub up.

export type Pattern = (text: string) => boolean;

/** Undefined: it can't be read. Then it neither allows anything nor may be passed over where it forbids. */
export function readPattern(source: string): Pattern | undefined {
  if (source.length > maxLength) return undefined;
  const alternatives = expand(source);
  const readable = alternatives?.map(readSteps);
  if (readable === undefined || readable.length > maxAlternatives) return undefined;
  if (!readable.every((steps) => steps !== undefined)) return undefined;
  return (text) => readable.some((steps) => matches(steps, text));
}

/** One character, or as many as one likes. */
type Step = ((character: string) => boolean) | typeof anyRun;

/** Goes back to the last `*` alone, so that the time is bounded by the product of both lengths. */
function matches(steps: readonly Step[], text: string): boolean {
  let step = 0;
  let at = 0;
  let back: { readonly step: number; at: number } | undefined;
  while (at < text.length) {
    const current = steps[step];
    if (current === anyRun) {
      back = { step, at };
      step += 1;
    } else if (current?.(text[at] ?? "")) {
      step += 1;
      at += 1;
    } else if (back !== undefined) {
      back.at += 1;
      step = back.step + 1;
      at = back.at;
    } else return false;
  }
  return steps.slice(step).every((left) => left === anyRun);
}

function readSteps(source: string): readonly Step[] | undefined {
  const tokens = source.match(token) ?? [];
  if (tokens.join("") !== source) return undefined;
  return tokens.map((found) => {
    if (found === "*") return anyRun;
    if (found === "?") return () => true;
    if (found.startsWith("[")) return readSet(found.slice(1, -1));
    const literal = found.startsWith("\\") ? found.slice(1) : found;
    return (character) => character === literal;
  });
}

function readSet(source: string): (character: string) => boolean {
  const isNot = source.startsWith("!");
  const ranges = (isNot ? source.slice(1) : source).match(range) ?? [];
  const has = (character: string): boolean =>
    ranges.some((each) => character >= (each[0] ?? "") && character <= (each.at(-1) ?? ""));
  return (character) => has(character) !== isNot;
}

/** Braces within braces can't be read. */
function expand(source: string): readonly string[] | undefined {
  const [all, before = "", inner = "", after = ""] = braces.exec(source) ?? [];
  if (all === undefined) return /[{}]/.test(source) ? undefined : [source];
  const rest = expand(after);
  const parts = inner.split(",");
  if (rest === undefined || parts.length * rest.length > maxAlternatives) return undefined;
  return parts.flatMap((part) => rest.map((end) => before + part + end));
}

const anyRun = Symbol("*");
const token = /\\.|\[!?[^\]]+\]|[^\\[\]]/gs;
const range = /.-.|./gs;
const braces = /^([^{}]*)\{([^{}]*)\}(.*)$/s;
const maxLength = 256;
const maxAlternatives = 32;
