// Walks an object along the steps of a path, as client-go's util/jsonpath does. Values go through one step after the
// other as a stream, so that whoever wants the first one looks at no more than it takes.
import { isRecord } from "../is-record.ts";
import { compareValues, Incomparable } from "./compare.ts";
import type { Filter, Query, Slice, Step } from "./types.ts";

/**
 * The looks that are left; below 0: something was left out. A path with several `*` could lead to every part of an
 * object.
 */
export interface Effort {
  left: number;
}

export interface Place {
  readonly current: unknown;
  readonly root: unknown;
  readonly effort: Effort;
  /** As the API server computes a column: what is an error there leads nowhere at all. */
  readonly isExact: boolean;
}

/**
 * The first value that the API server finds for a printer column: undefined where there is none, where the path is an
 * error in this object, or where the effort is used up before.
 */
export function findFirst(query: Query, document: unknown, effort: Effort): unknown {
  const values = find(query.steps, { current: document, root: document, effort, isExact: true });
  try {
    const { value } = values.next() as IteratorResult<unknown, undefined>;
    if (value !== undefined && canFailLater(query)) drain(values, effort);
    return value;
  } catch (error) {
    if (error instanceof LeadsNowhere) return undefined;
    throw error;
  }
}

/** An error of a later value is one of the whole path. Where there are many, the first ones have to do. */
function drain(values: Generator<unknown>, effort: Effort): void {
  const { left } = effort;
  effort.left = Math.min(left, fewLooks);
  const allowed = effort.left;
  try {
    for (const _ of values);
  } finally {
    effort.left = left - allowed + Math.max(effort.left, 0);
  }
}

function canFailLater({ steps }: Query): boolean {
  if (steps.some((step) => step.type === "filter" && step.test !== undefined)) return true;
  const at = steps.findIndex(({ type }) => type === "all" || type === "slice" || type === "descend");
  return at >= 0 && steps.slice(at + 1).some(({ type }) => type === "slice" || type === "filter" || type === "union");
}

export function find(steps: readonly Step[], place: Place): Generator<unknown> {
  return walk(steps, [place.current], place);
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

function* walk(steps: readonly Step[], values: Iterable<unknown>, place: Place): Generator<unknown> {
  let stream = values;
  for (const step of steps) stream = count(follow(step, stream, place), place.effort);
  yield* stream;
}

function* count(values: Iterable<unknown>, effort: Effort): Generator<unknown> {
  for (const value of values) {
    effort.left -= 1;
    if (effort.left < 0) return;
    yield value;
  }
}

function* follow(step: Step, values: Iterable<unknown>, place: Place): Generator<unknown> {
  switch (step.type) {
    case "root":
      // A client's `$` is as good as `@` to Kubernetes.
      yield* place.isExact ? values : [place.root];
      break;
    case "member":
      for (const value of values) {
        if (isRecord(value) && Object.hasOwn(value, step.name)) yield value[step.name];
      }
      break;
    case "key":
      for (const value of values) yield* findKey(step, value, place);
      break;
    case "all":
      for (const value of values) for (const [, member] of partsOf(value, place.effort)) yield member;
      break;
    case "descend":
      for (const value of values) yield* descend(value, place.effort);
      break;
    case "slice":
      yield* slice(step, values, place);
      break;
    case "union": {
      const all = [...values];
      for (const branch of step.branches) yield* walk(branch, all, place);
      break;
    }
    case "filter":
      for (const value of values) yield* filter(step, value, place);
      break;
    case "value":
      for (const _ of values) yield step.value;
      break;
    case "word":
      fail(place);
      break;
    default:
      step satisfies never;
  }
}

/** People also write `['app.kubernetes.io/name']`, where Kubernetes finds nothing. */
function* findKey({ name, path }: Extract<Step, { type: "key" }>, value: unknown, place: Place): Generator<unknown> {
  if (!path) fail(place);
  let found = 0;
  for (const one of walk(path ?? [], path ? [value] : [], place)) {
    found += 1;
    yield one;
  }
  if (found === 0 && !place.isExact) yield* follow({ type: "member", name }, [value], place);
}

/** A text's parts are its bytes, as in Go. */
function partsOf(value: unknown, effort: Effort): Iterable<readonly [name: string, member: unknown]> {
  if (typeof value !== "string") return membersOf(value, effort);
  effort.left -= value.length;
  return effort.left < 0 ? [] : [...new TextEncoder().encode(value)].map((byte, index) => [String(index), byte]);
}

/** All that has parts, each before its parts. */
function* descend(value: unknown, effort: Effort): Generator<unknown> {
  if (typeof value === "string" && value !== "") {
    yield value;
    return;
  }
  let isFirst = true;
  for (const [, member] of membersOf(value, effort)) {
    if (isFirst) yield value;
    isFirst = false;
    effort.left -= 1;
    if (effort.left < 0) return;
    yield* descend(member, effort);
  }
}

function* slice(step: Slice, values: Iterable<unknown>, place: Place): Generator<unknown> {
  for (const value of values) {
    if (value === null || value === undefined) continue;
    const range = Array.isArray(value) ? rangeOf(step, value.length, place) : fail(place);
    if (!range) continue;
    // As in client-go, where an empty range ends the step for all values behind.
    if (range.from === range.to && place.isExact) return;
    const items = value as unknown[];
    // Those that are skipped are looked at, too.
    if (range.step !== 1) place.effort.left -= range.to - range.from;
    for (let at = range.from; at < range.to; at += range.step) yield items[at];
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function rangeOf(slice: Slice, length: number, place: Place): Range | undefined {
  const { isSingle, step = 1 } = slice;
  let { from = 0, to = length } = slice;
  if (from < 0) from += length;
  if (to < 0 || (to === 0 && isSingle)) to += length;
  const isWithin = from >= 0 && from < length && to >= 0 && to <= length && from <= to;
  if (from === to) return { from, to, step: 1 };
  if (step <= 0) return fail(place);
  if (isWithin) return { from, to, step };
  fail(place);
  // For people the part that is there.
  return isSingle ? undefined : { from: Math.max(from, 0), to: Math.min(to, length), step };
}

function* filter({ left, test }: Filter, value: unknown, place: Place): Generator<unknown> {
  if (!Array.isArray(value)) return fail(place);
  for (const item of value as unknown[]) {
    place.effort.left -= 1;
    if (place.effort.left < 0) return;
    if (passes({ left, test }, { ...place, current: item })) yield item;
  }
}

function passes({ left, test }: Pick<Filter, "left"> & { readonly test: Filter["test"] }, inItem: Place): boolean {
  if (!test) return hasAny(left, inItem);
  const values = [...find(left, inItem)];
  if (values.length === 0) return false;
  const others = [...find(test.right, inItem)];
  if (others.length === 0) return false;
  if (values.length > 1 || others.length > 1) fail(inItem);
  try {
    return values.some((one) => others.some((other) => compareValues(one, test.operator, other, inItem)));
  } catch (error) {
    if (error instanceof Incomparable) return fail(inItem) ?? false;
    throw error;
  }
}

/** For what is only asked to be there an error is as good as its absence. */
function hasAny(steps: readonly Step[], place: Place): boolean {
  try {
    return !find(steps, place).next().done;
  } catch (error) {
    if (error instanceof LeadsNowhere) return false;
    throw error;
  }
}

function fail({ isExact }: Place): undefined {
  if (isExact) throw new LeadsNowhere();
}

class LeadsNowhere extends Error {}

const fewLooks = 512;
