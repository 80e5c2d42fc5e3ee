// Runs helm once to change a release. The record says what is meant before the run; whatever the run leaves half done
// is put right after it.
import type { FairleadError } from "@fairlead/kernel";
import type { Release } from "@fairlead/kube";
import { executeErrors } from "../../errors.ts";
import type { Begun } from "../begin.ts";
import { explainFailure, readWords } from "../explain.ts";
import { type Memory, stateWith } from "../memory.ts";
import { ObjectFinder, readableMadeObjects } from "../objects.ts";
import type { HelmEnd } from "../program/open-helm.ts";
import type { ReleaseHead } from "../release/release-store.ts";
import { watchRelease } from "../watch-release.ts";

export interface Step {
  readonly args: readonly string[];
  readonly memory: Memory;
  readonly stdin?: string | undefined;
  /** A graceful cancel doesn't stop it. */
  readonly isRepair?: boolean | undefined;
}

export interface Stepped {
  /** Undefined when all went well. */
  readonly failure: FairleadError | undefined;
  readonly heads: readonly ReleaseHead[];
  /** As it stands now; undefined when nothing is left of it. */
  readonly release: Release | undefined;
}

/** Rejects when the command isn't at its end: another claim goes on. */
export async function takeStep(begun: Begun, { args, memory, stdin, isRepair }: Step): Promise<Stepped> {
  const { task, helm, store } = begun;
  await task.state.write(stateWith(task.state.read(), { memory }));
  task.mayAct({ repair: isRepair ?? false });
  const end = await (async () => {
    await using _watching = watchRelease(task, store);
    return await helm.run({ args, stdin, isRepair });
  })();
  task.mayAct({ repair: true });
  const now = await standNow(begun);
  if (end.exitCode === 0) return { failure: undefined, ...now };
  return { failure: cancelOf(begun, isRepair) ?? (await explain(begun, end, now.release)), ...now };
}

/** Where it stands, with what was killed in the middle marked as failed. */
export async function standNow({ store }: Begun): Promise<Omit<Stepped, "failure">> {
  const latest = await store.latest();
  if (latest?.isFairlead && latest.status.startsWith("pending-")) await store.markFailed(latest);
  const heads = await store.heads();
  const head = heads.at(-1);
  return { heads, release: head && (await store.openIfReadable(head)) };
}

/** The cancel that ended helm. Throws what leaves the command to another claim. */
export function cancelOf({ task }: Begun, isRepair = false): FairleadError | undefined {
  for (const { aborted, reason } of [task.signal, task.forced])
    if (aborted && !executeErrors.is(reason, "COMMAND_CANCELLED")) throw reason;
  return (isRepair ? task.forced : task.signal).aborted ? (task.signal.reason as FairleadError) : undefined;
}

async function explain(begun: Begun, end: HelmEnd, release: Release | undefined): Promise<FairleadError> {
  const { spec } = begun.task;
  const unready = release && waited.test(end.said) ? await findUnready(begun, release).catch(() => []) : [];
  return explainFailure({ ...end, ...readWords(begun.task, end), spec, hooks: release?.hooks ?? [], unready });
}

async function findUnready({ task }: Begun, { manifest }: Release): Promise<readonly string[]> {
  return await new ObjectFinder(task).unready(readableMadeObjects(manifest), { isExplained: true });
}

const waited = /not ready|timed out|deadline exceeded|failed/i;
