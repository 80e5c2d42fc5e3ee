// Run and plan both begin here: helm is found, and the state of the release is read. Nothing is changed.
import type { Programs } from "../programs.ts";
import type { Task } from "../types.ts";
import { helmErrors } from "./errors.ts";
import { type Memory, readMemory } from "./memory.ts";
import { type Helm, openHelm } from "./program/open-helm.ts";
import { type ReleaseHead, ReleaseStore } from "./release/release-store.ts";
import { judgeStanding, type Standing } from "./release/standing.ts";
import type { HelmSpec } from "./types.ts";

export interface Begun {
  readonly task: Task<HelmSpec>;
  readonly helm: Helm;
  readonly programs: Programs;
  readonly store: ReleaseStore;
  /** Oldest first. */
  readonly heads: readonly ReleaseHead[];
  /** Left by a run of the same command that died. */
  readonly memory: Memory | undefined;
  readonly standing: Exclude<Standing, { readonly type: "busy" }>;
}

/** Throws HELM_RELEASE_BUSY. */
export async function begin(task: Task<HelmSpec>, programs: Programs): Promise<Begun> {
  const store = new ReleaseStore(task);
  const helm = await openHelm(programs, task.spec.namespace);
  const memory = readMemory(task.state.read());
  const heads = await store.heads();
  const standing = judgeStanding(heads, memory);
  if (standing.type === "busy") throw releaseBusy(task.spec, standing.head);
  const isDone = standing.type !== "done" || (await isMade(task, store, standing.head));
  return { task, helm, programs, store, heads, memory, standing: isDone ? standing : { type: "free" } };
}

/** A failed revision is `superseded`, too, once another one follows it. Only one that was made has our words. */
async function isMade(task: Task<HelmSpec>, store: ReleaseStore, head: ReleaseHead): Promise<boolean> {
  return head.status !== "superseded" || (await store.open(head))?.description === describeCommand(task);
}

export function releaseBusy({ release }: HelmSpec, { status, revision, writer, writtenAt: since }: ReleaseHead): Error {
  return helmErrors.HELM_RELEASE_BUSY({ release, status, revision, writer, since });
}

export function describeCommand({ id }: Pick<Task<HelmSpec>, "id">): string {
  return `Fairlead ${id}`;
}
