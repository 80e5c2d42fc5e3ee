// The three-way difference of an object: what was rendered last, what will be rendered, and what is live. It names what
// the upgrade changes and what somebody changed by hand, with what becomes of that. Pure.
import type { ClusterObject } from "../../snapshot/index.ts";
import { alignItems, isMap } from "./align-items.ts";
import { isSame, toComparable } from "./comparable.ts";
import { namesOfOthers } from "./others.ts";

/** The three shapes of an object; each may be missing. */
export interface ThreeShapes {
  /** As a person reads it: `deployments.apps argocd/argocd-server`. */
  readonly ref: string;
  readonly before?: ClusterObject | undefined;
  readonly after?: ClusterObject | undefined;
  readonly live?: ClusterObject | undefined;
}

export interface ObjectDifference {
  readonly ref: string;
  readonly is: "created" | "changed" | "unchanged" | "removed" | "absent";
  readonly fields: readonly FieldDifference[];
}

export interface FieldDifference {
  /** `spec.template.spec.containers[name=server].image` */
  readonly path: string;
  readonly is: FieldFate;
  readonly before: unknown;
  readonly live: unknown;
  readonly after: unknown;
  /** The programs of others who set it; empty when nobody can tell. */
  readonly by: readonly string[];
}

/**
 * - `changed`: by the chart or its values; nobody touched it in between.
 * - `set-back`: changed by hand, and the upgrade puts its own there.
 * - `agreed`: changed by hand to what the upgrade says.
 * - `removed`: changed by hand, and the upgrade no longer has it.
 * - `kept`: set by somebody else where neither version says anything.
 */
export type FieldFate = "changed" | "set-back" | "agreed" | "removed" | "kept";

/** Fields that differ from what was rendered last because of somebody, not because of the chart. */
export function isByHand({ is }: Pick<FieldDifference, "is">): boolean {
  return is !== "changed";
}

export function compareThreeWay({ ref, before, after, live }: ThreeShapes): ObjectDifference {
  if (!after) return { ref, is: live && before ? "removed" : "absent", fields: [] };
  if (!live) return { ref, is: "created", fields: [] };
  const fields: FieldDifference[] = [];
  const walk: Walk = { live, isRenderedBefore: before !== undefined, found: fields };
  compareNodes(walk, [], {
    before: before && toComparable(before),
    after: toComparable(after),
    live: toComparable(live),
  });
  const isChanged = fields.some(({ is }) => is === "changed" || is === "set-back" || is === "removed");
  return { ref, is: isChanged ? "changed" : "unchanged", fields: fields.map((field) => hideSecret(live, field)) };
}

interface Walk {
  readonly live: ClusterObject;
  readonly isRenderedBefore: boolean;
  readonly found: FieldDifference[];
}

interface Nodes {
  readonly before: unknown;
  readonly after: unknown;
  readonly live: unknown;
}

function compareNodes(walk: Walk, path: readonly string[], nodes: Nodes): void {
  const { before, after, live } = nodes;
  const given = [before, after, live].filter((node) => node !== undefined && node !== null);
  // A map that is only live is compared member by member, because each member may have another maker. An item of a
  // list is one thing.
  const isOneByOne = given.length > 1 || (isMap(live) && !path.at(-1)?.startsWith("["));
  if (isOneByOne && given.every(isMap)) {
    compareMaps(walk, path, nodes);
    return;
  }
  const items = isOneByOne && given.every(Array.isArray) ? alignItems(nodes) : undefined;
  if (items) {
    for (const { name, ...item } of items) compareNodes(walk, [...path, name], item);
    return;
  }
  compareLeaves(walk, path, nodes);
}

function compareMaps(walk: Walk, path: readonly string[], { before, after, live }: Nodes): void {
  const maps = [before, after, live].map((node) => (isMap(node) ? node : {}));
  for (const name of new Set(maps.flatMap(Object.keys))) {
    const [was, willBe, is] = maps.map((map) => (Object.hasOwn(map, name) ? map[name] : undefined));
    compareNodes(walk, [...path, name], { before: was, after: willBe, live: is });
  }
}

function compareLeaves(walk: Walk, path: readonly string[], nodes: Nodes): void {
  const is = judge(nodes, walk.isRenderedBefore);
  if (is === undefined) return;
  const by = is === "changed" ? [] : namesOfOthers(walk.live, path);
  // Defaults and what controllers write are nobody's change.
  if (is === "kept" && by.length === 0) return;
  walk.found.push({ path: formatPath(path), is, ...nodes, by });
}

function judge({ before, after, live }: Nodes, isRenderedBefore: boolean): FieldFate | undefined {
  if (before === undefined && after === undefined) return live === undefined ? undefined : "kept";
  const isAsBefore = isRenderedBefore ? isSame(before, live) : isSame(after, live);
  if (isSame(after, live)) return isAsBefore || before === undefined ? undefined : "agreed";
  if (isAsBefore || before === undefined) return "changed";
  return after === undefined ? "removed" : "set-back";
}

/** The values of a Secret must not reach terminals and logs of pipelines. */
function hideSecret({ kind }: ClusterObject, field: FieldDifference): FieldDifference {
  if (kind !== "Secret" || !field.path.startsWith("data")) return field;
  const hide = (value: unknown) => (value === undefined ? undefined : "(hidden)");
  return { ...field, before: hide(field.before), live: hide(field.live), after: hide(field.after) };
}

function formatPath(path: readonly string[]): string {
  return path.reduce((text, name) => {
    if (name.startsWith("[")) return `${text}${name}`;
    if (/^[A-Za-z0-9_-]+$/.test(name)) return text === "" ? name : `${text}.${name}`;
    return `${text}[${name}]`;
  }, "");
}
