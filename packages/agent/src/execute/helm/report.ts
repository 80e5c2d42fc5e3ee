// Makes the result of a run that the hub keeps: names, states and counts from the release, and none of helm's output.

import type { Release } from "@fairlead/kube";
import { cutText } from "../cut-text.ts";
import { fitResult, type ResultJson } from "../manifests/fit-result.ts";
import { keyOf, onlyName } from "../manifests/object-name.ts";
import type { Outcome } from "../manifests/types.ts";
import type { Task } from "../types.ts";
import { type MadeObject, readableMadeObjects } from "./objects.ts";
import type { ReleaseHead } from "./release/release-store.ts";
import type { HelmSpec } from "./types.ts";

export interface HelmResult extends Partial<ResultJson> {
  readonly release: string;
  readonly namespace: string;
  /** Absent when nothing is left of it. */
  readonly revision?: number;
  /** As Helm says it, or `absent`. */
  readonly status: string;
  readonly chart?: {
    readonly name: string;
    readonly version: string;
    readonly appVersion?: string;
    readonly digest?: string;
  };
  readonly hooks?: readonly HookResult[];
  readonly tests?: readonly HookResult[];
  readonly notes?: string;
  /** The action that put a failed upgrade right. */
  readonly undone?: string;
  /** Newest first. */
  readonly history?: readonly { readonly revision: number; readonly status: string }[];
}

export interface HookResult {
  readonly kind: string;
  readonly name: string;
  readonly events: readonly string[];
  readonly phase?: string;
}

/** Whether objects are in the cluster, by their keys; nothing is known of others. */
export type Presence = ReadonlyMap<string, boolean>;

export function reportRelease(options: {
  readonly task: Pick<Task<HelmSpec>, "spec" | "secrets">;
  readonly release: Release | undefined;
  /** The revision that was deployed before. */
  readonly before?: Release | undefined;
  /** Given where Helm has failed. */
  readonly presence?: Presence | undefined;
  readonly heads: readonly ReleaseHead[];
  readonly chartDigest?: string | undefined;
  readonly undone?: string | undefined;
}): HelmResult {
  const { task, release, before, presence, heads, chartDigest, undone } = options;
  const { release: name, namespace, action } = task.spec;
  const history = heads.slice(-maxHistory).map(({ revision, status }) => ({ revision, status }));
  const common = { release: name, namespace, ...(undone !== undefined && { undone }) };
  const latest = heads.at(-1);
  // It is there, and can't be read.
  if (release === undefined && latest !== undefined && latest.status !== "uninstalled")
    return { ...common, revision: latest.revision, status: latest.status, history: history.reverse() };
  if (release === undefined) return { ...common, status: "absent", ...(history.length > 0 && { history }) };
  const { appVersion, ...chart } = release.chart;
  const ran = release.hooks.map(tellHook);
  const hooks = ran.filter(({ events }) => !events.includes("test")).slice(0, maxHooks);
  return {
    ...common,
    revision: release.revision,
    status: release.status,
    chart: { ...chart, ...(appVersion && { appVersion }), ...(chartDigest && { digest: chartDigest }) },
    ...(action.type === "upgrade" &&
      fitResult(
        compare(before?.manifest ?? "", release.manifest).map((outcome) => asFound(outcome, presence)),
        maxObjectBytes,
      )),
    ...(hooks.length > 0 && { hooks }),
    ...(action.type === "test" && { tests: ran.filter(({ events }) => events.includes("test")).slice(0, maxHooks) }),
    ...(action.type === "upgrade" &&
      action.notes &&
      release.notes && { notes: cutText(task.secrets, release.notes, maxNotes) }),
    history: history.reverse(),
  };
}

function tellHook({ kind, name, events, phase }: Release["hooks"][number]): HookResult {
  return { kind, name, events, ...(phase !== undefined && { phase }) };
}

/** Helm makes and deletes one after another, and stops at the first that fails. */
function asFound(outcome: Outcome, presence: Presence | undefined): Outcome {
  const { did } = outcome;
  if (presence === undefined || (did !== "created" && did !== "deleted")) return outcome;
  const isThere = presence.get(keyOf(outcome));
  if (isThere === (did === "created")) return outcome;
  if (isThere === undefined) return { ...outcome, did: "pending", message: "it isn't known whether it exists" };
  return { ...outcome, did: "pending", message: isThere ? "it is still there" : "it isn't there" };
}

/** Compares two revisions by what their templates wrote, not by what the cluster made of it. */
function compare(before: string, after: string): readonly Outcome[] {
  const was = new Map(readableMadeObjects(before).map((made) => [keyOf(made), made]));
  const is = readableMadeObjects(after);
  const names = new Set(is.map(keyOf));
  const kept = is.map((made): Outcome => {
    const earlier = was.get(keyOf(made));
    if (earlier === undefined) return { ...onlyName(made), did: "created" };
    const isSame = JSON.stringify(earlier.object) === JSON.stringify(made.object);
    return { ...onlyName(made), did: isSame ? "unchanged" : "changed" };
  });
  const gone = [...was.values()].filter((made) => !names.has(keyOf(made)));
  return [...kept, ...gone.map((made): Outcome => ({ ...onlyName(made), did: isKept(made) ? "kept" : "deleted" }))];
}

/** Helm leaves it alone when the chart has it no more. */
export function isKept({ object }: MadeObject): boolean {
  return object.metadata.annotations?.["helm.sh/resource-policy"] === "keep";
}

const maxHistory = 10;
const maxHooks = 100;
const maxNotes = 16 * 1024;
const maxObjectBytes = 800 * 1024;
