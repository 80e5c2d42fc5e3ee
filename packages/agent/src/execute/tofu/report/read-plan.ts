// Makes a plan for people from the answer of `tofu show -json`. The answer itself holds every secret.
import { cutText } from "../../cut-text.ts";
import type { SecretValues } from "../../types.ts";
import { concealLeaves } from "../prepare/variables.ts";
import { type Change, compare, eachSensitive } from "./changes.ts";

export interface PlanReport {
  readonly summary: Readonly<Record<Deed, number>>;
  readonly resources: readonly PlannedResource[];
  readonly outputs: readonly PlannedOutput[];
  /** Resources that somebody else has changed since the state was written. */
  readonly drift: readonly PlannedResource[];
  readonly isEmpty: boolean;
}

export interface PlannedResource {
  readonly address: string;
  readonly did: Deed;
  readonly changes?: readonly Change[];
}

export interface PlannedOutput {
  readonly name: string;
  readonly did: Deed;
  readonly sensitive: boolean;
}

export type Deed = "add" | "change" | "replace" | "destroy" | "read" | "import" | "forget" | "move";

export function readPlan(json: string, secrets: Secrets): PlanReport {
  const plan = JSON.parse(json) as RawPlan;
  const { resource_changes: all = [], resource_drift: drifted = [], output_changes: outputs = {} } = plan;
  for (const { change } of [...all, ...drifted, ...Object.values(outputs).map((change) => ({ change }))]) {
    conceal(change.before, change.before_sensitive, secrets);
    conceal(change.after, change.after_sensitive, secrets);
  }
  const resources = all.flatMap((resource) => readResource(resource, secrets));
  const changedOutputs = Object.entries(outputs).flatMap(([name, change]) => readOutput(name, change));
  const summary = { add: 0, change: 0, replace: 0, destroy: 0, read: 0, import: 0, forget: 0, move: 0 };
  for (const { did } of resources) summary[did]++;
  return {
    summary,
    resources,
    outputs: changedOutputs,
    drift: drifted.flatMap((resource) => readResource(resource, secrets)),
    isEmpty: resources.every(({ did }) => did === "read") && changedOutputs.length === 0,
  };
}

/**
 * Values that OpenTofu masks itself are masked in other texts, too. Only OpenTofu masks values that are too large to be
 * searched for.
 */
export function conceal(value: unknown, marks: unknown, secrets: Pick<SecretValues, "conceal">): void {
  eachSensitive(value, marks, (found) => {
    try {
      concealLeaves(found, secrets);
    } catch {
      // Beyond the limits of what is searched for.
    }
  });
}

function readResource(
  { address, previous_address: previous, change }: RawResource,
  secrets: Secrets,
): PlannedResource[] {
  const did = readDeed(change) ?? (previous === undefined ? undefined : "move");
  if (did === undefined) return [];
  const changes = compare({
    before: change.before,
    after: change.after,
    unknown: did === "destroy" ? undefined : change.after_unknown,
    beforeSensitive: change.before_sensitive,
    afterSensitive: change.after_sensitive,
  });
  const shown = changes.slice(0, mostChanges).map((each) => cutValues(each, secrets));
  return [{ address, did, ...(shown.length > 0 && { changes: shown }) }];
}

function cutValues({ path, from, to }: Change, secrets: Secrets): Change {
  const cut = (value: unknown): unknown => (typeof value === "string" ? cutText(secrets, value, mostShown) : value);
  return { path, ...(from !== undefined && { from: cut(from) }), ...(to !== undefined && { to: cut(to) }) };
}

function readOutput(name: string, change: RawChange): PlannedOutput[] {
  const did = readDeed(change);
  const sensitive = change.before_sensitive === true || change.after_sensitive === true;
  return did === undefined ? [] : [{ name, did, sensitive }];
}

function readDeed({ actions, importing }: RawChange): Deed | undefined {
  const [first, second] = actions;
  if (second !== undefined) return "replace";
  const deed = deeds.get(first ?? "");
  return deed ?? (importing === undefined || importing === null ? undefined : "import");
}

type Secrets = Pick<SecretValues, "conceal" | "redact">;

interface RawPlan {
  readonly resource_changes?: readonly RawResource[];
  readonly resource_drift?: readonly RawResource[];
  readonly output_changes?: Readonly<Record<string, RawChange>>;
}

interface RawResource {
  readonly address: string;
  readonly previous_address?: string;
  readonly change: RawChange;
}

interface RawChange {
  readonly actions: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
  readonly after_unknown?: unknown;
  readonly before_sensitive?: unknown;
  readonly after_sensitive?: unknown;
  readonly importing?: unknown;
}

const deeds: ReadonlyMap<string, Deed> = new Map([
  ["create", "add"],
  ["update", "change"],
  ["delete", "destroy"],
  ["read", "read"],
  ["forget", "forget"],
]);
const mostChanges = 50;
const mostShown = 500;
