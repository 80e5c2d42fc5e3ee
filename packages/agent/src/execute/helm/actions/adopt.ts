// A run of this command that died has done it. It only has to become ready and be reported.
import { sleep } from "@fairlead/kernel";
import type { Release } from "@fairlead/kube";
import type { RunResult } from "../../types.ts";
import type { Begun } from "../begin.ts";
import { helmErrors } from "../errors.ts";
import { ObjectFinder, readableMadeObjects } from "../objects.ts";
import type { ReleaseHead } from "../release/release-store.ts";
import { reportRelease } from "../report.ts";

export async function adopt(
  begun: Begun,
  { head, before }: { readonly head: ReleaseHead; readonly before: Release | undefined },
): Promise<RunResult> {
  const { task, store, heads } = begun;
  const { log } = task;
  const release = await store.open(head);
  log.line(`goes on: revision ${head.revision} was made by a run that died since`);
  const unready = release === undefined ? [] : await awaitReady(begun, release);
  const [first, ...others] = unready;
  const failure =
    first === undefined
      ? undefined
      : helmErrors.HELM_NOT_READY({
          detail: others.length === 0 ? first : `${first}; ${others.length} more aren't ready`,
        });
  return { json: reportRelease({ task, release, before, heads }), failure };
}

/** Helm has waited already, unless it was killed before it could. */
async function awaitReady({ task }: Begun, release: Release): Promise<readonly string[]> {
  const { spec, clock, signal, log } = task;
  if (!spec.wait.forObjects || spec.action.type === "uninstall") return [];
  const finder = new ObjectFinder(task);
  const made = readableMadeObjects(release.manifest);
  const deadlineMs = clock.steadyMs() + spec.wait.timeoutSeconds * 1_000;
  for (let looks = 0; ; looks++) {
    const unready = await finder.unready(made, { isExplained: clock.steadyMs() >= deadlineMs });
    if (unready.length === 0 || clock.steadyMs() >= deadlineMs) return unready;
    if (looks % 5 === 0) log.line(`${unready.length} objects aren't ready yet: ${unready[0]}`);
    await sleep(lookMs, { clock, signal });
  }
}

const lookMs = 2_000;
