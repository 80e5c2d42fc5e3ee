import { rawNumber } from "../exact-json.ts";
import { JsonPathProblem } from "./problem.ts";
import type { Scanner } from "./scanner.ts";
import type { Filter, Slice, Step } from "./types.ts";

/** To the `}` or, in a filter, to the operator or `)`, which are left. Steps follow each other, with spaces between or not. */
export function parseSteps(scanner: Scanner, place: "action" | "filter" = "action"): Step[] {
  return scanner.inSteps((next) => parseEach(scanner, place, next));
}

function parseEach(scanner: Scanner, place: "action" | "filter", next: () => void): Step[] {
  const steps: Step[] = [];
  const name = place === "filter" ? nameInFilter : nameInAction;
  // A query takes at least a character of the text, so that a template without end is none.
  let isWhole = false;
  for (;;) {
    next();
    scanner.skipSpaces();
    if (scanner.take(/@/y)) {
      isWhole = true;
    } else if (scanner.take(/\$/y)) {
      isWhole = true;
      steps.push({ type: "root" });
    } else if (scanner.take(/\.\./y)) {
      if (steps.at(-1)?.type === "descend") throw scanner.fail("a '..' follows another one");
      steps.push({ type: "descend" });
      if (scanner.sees(/[\p{L}\p{N}_*]/uy)) steps.push(parseName(scanner, name));
    } else if (scanner.take(/\./y)) {
      // `{.}` is the whole of it.
      isWhole = true;
      if (scanner.sees(name)) steps.push(parseName(scanner, name));
      else if (!scanner.sees(endOfSteps)) throw scanner.unexpected();
    } else if (scanner.take(/\[\s*\?\(/y)) {
      steps.push(scanner.inside(() => parseFilter(scanner)));
    } else if (scanner.take(/\[/y)) {
      steps.push(parseBrackets(scanner));
    } else if (scanner.sees(/["']/y)) {
      const value = scanner.takeQuoted();
      if (value === undefined) throw scanner.fail("a text in quotes has no end");
      steps.push({ type: "value", value });
    } else if (scanner.sees(/[+-]?\d/y)) {
      steps.push(parseNumber(scanner));
    } else if (scanner.sees(/[\p{L}_]/uy)) {
      const isFirst = steps.length === 0 && !isWhole && place === "action";
      steps.push(parseWord(scanner, { name, isFirst }));
    } else {
      if (steps.length === 0 && !isWhole) throw scanner.unexpected();
      return steps;
    }
  }
}

/** A dot in a name is written `\.`, as in `.metadata.labels.app\.kubernetes\.io/name`. */
function parseName(scanner: Scanner, pattern: RegExp): Step {
  const name = scanner.take(pattern);
  if (name === undefined) throw scanner.unexpected();
  return name === "*" ? { type: "all" } : { type: "member", name: name.replaceAll("\\", "") };
}

function parseNumber(scanner: Scanner): Step {
  const text = scanner.take(/[+-]?[\d.]+/y) ?? "";
  if (Number.isNaN(Number(text))) throw scanner.fail(`'${text}' isn't a number`);
  // Whole numbers and others can't be compared in Go: 1.0 stays what it is.
  const isWhole = /^[+-]?\d+$/.test(text);
  const source = isWhole ? String(BigInt(text.replace("+", ""))) : JSON.stringify(Number(text));
  const isPlain = isWhole ? Number.isSafeInteger(Number(text)) : !Number.isInteger(Number(text));
  return { type: "value", value: isPlain ? Number(text) : rawNumber(isWhole ? source : `${source}.0`) };
}

/** People write `metadata.name` without its first dot, and in filters `true`. */
function parseWord(scanner: Scanner, { name, isFirst }: { readonly name: RegExp; readonly isFirst: boolean }): Step {
  const word = scanner.take(name) ?? "";
  if (word === "true" || word === "false") return { type: "value", value: word === "true" };
  return isFirst ? { type: "member", name: word.replaceAll("\\", "") } : { type: "word", word };
}

function parseBrackets(scanner: Scanner): Step {
  const branches = [parseKey(scanner)];
  while (scanner.take(/\s*,/y)) branches.push(parseKey(scanner));
  scanner.skipSpaces();
  scanner.expect("]");
  const [only] = branches;
  return branches.length === 1 && only ? only : { type: "union", branches: branches.map((step) => [step]) };
}

function parseKey(scanner: Scanner): Step {
  scanner.skipSpaces();
  if (scanner.take(/\*/y)) return { type: "slice", from: undefined, to: undefined, step: undefined, isSingle: false };
  const quoted = scanner.take(/'(?:\\.|[^'\\])*'/y);
  if (quoted !== undefined) return toKey(scanner, quoted.slice(1, -1));
  const name = scanner.takeQuoted();
  if (name !== undefined) return { type: "member", name };
  if (!scanner.sees(/[-\d:\],\s]/y)) throw scanner.unexpected();
  return parseSlice(scanner);
}

function toKey(scanner: Scanner, text: string): Step {
  if (/^[\w/-]+$/.test(text)) return { type: "member", name: text };
  const name = text.replace(/\\(.)/g, "$1");
  // Behind a dot alone there would be the whole object.
  const isPath = /^(?:\\.|[^\s.,[\]$@{}\\])/.test(text);
  return { type: "key", name, path: isPath ? readPath(scanner.over(`.${text}`)) : undefined };
}

function readPath(scanner: Scanner): Step[] | undefined {
  try {
    const steps = parseSteps(scanner);
    return scanner.isAtEnd ? steps : undefined;
  } catch (error) {
    if (error instanceof JsonPathProblem) return undefined;
    throw error;
  }
}

function parseSlice(scanner: Scanner): Slice {
  const range = scanner.take(/(?:-?\d+)?(?::(?:-?\d+)?){0,2}/y) ?? "";
  if (!scanner.sees(/\s*[\],]/y)) throw scanner.unexpected();
  const [from, to, step] = range.split(":").map((text) => (text === "" ? undefined : Number(text)));
  if (range.includes(":")) return { type: "slice", from, to, step, isSingle: false };
  // Nothing between the brackets is the first one, as in kubectl.
  return { type: "slice", from, to: (from ?? 0) + 1, step: undefined, isSingle: true };
}

function parseFilter(scanner: Scanner): Filter {
  const left = parseSteps(scanner, "filter");
  const operator = scanner.take(/[!<>=]+/y);
  const right = operator === undefined ? undefined : parseSteps(scanner, "filter");
  scanner.skipSpaces();
  scanner.expect(")");
  scanner.skipSpaces();
  scanner.expect("]");
  return { type: "filter", left, ...(operator !== undefined && right && { test: { operator, right } }) };
}

const nameInAction = /(?:\\.|[^\s.,[\]$@{}\\])+/y;
const nameInFilter = /(?:\\.|[^\s.,[\]$@{}\\()!<>='"])+/y;
const endOfSteps = /[\s})[\]=!<>@$.,]|$/y;
