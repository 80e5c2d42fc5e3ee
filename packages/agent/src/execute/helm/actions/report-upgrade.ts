// The result of an upgrade: what became of each object. Where Helm failed, it says of none that it is there without having
// looked.
import type { FairleadError } from "@fairlead/kernel";
import type { Release } from "@fairlead/kube";
import { inParallel, parallelRequests } from "../../manifests/in-parallel.ts";
import { keyOf } from "../../manifests/object-name.ts";
import type { Begun } from "../begin.ts";
import { openBefore } from "../earlier.ts";
import type { Memory } from "../memory.ts";
import { ObjectFinder, readableMadeObjects } from "../objects.ts";
import type { ReleaseHead } from "../release/release-store.ts";
import { type HelmResult, type Presence, reportRelease } from "../report.ts";

/** A report that fails changes nothing that is done. */
export async function reportUpgrade(
  begun: Begun,
  options: {
    readonly memory: Memory | undefined;
    readonly heads: readonly ReleaseHead[];
    readonly release: Release | undefined;
    readonly failure?: FairleadError | undefined;
    readonly chartDigest?: string | undefined;
    readonly undone?: string | undefined;
  },
): Promise<HelmResult> {
  const { memory, release, failure, ...more } = options;
  const { task } = begun;
  const before = await openBefore(begun, memory).catch(() => undefined);
  const isInDoubt = failure !== undefined && more.undone === undefined && release !== undefined;
  const presence = isInDoubt ? await lookFor(begun, [before, release]) : undefined;
  return reportRelease({ task, release, before, presence, ...more });
}

/** People in a hurry don't wait for it. */
async function lookFor({ task }: Begun, releases: readonly (Release | undefined)[]): Promise<Presence> {
  const finder = new ObjectFinder(task);
  const found = new Map<string, boolean>();
  const made = releases.flatMap((release) => readableMadeObjects(release?.manifest ?? ""));
  const unique = [...new Map(made.map((each) => [keyOf(each), each])).values()];
  if (!task.forced.aborted)
    await inParallel(unique, parallelRequests, async (each) => {
      found.set(keyOf(each), (await finder.find(each)) !== undefined);
    }).catch(() => undefined);
  // An agent that lost the lease reports nothing.
  task.mayAct({ repair: true });
  return found;
}
