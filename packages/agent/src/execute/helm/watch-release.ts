// Tells people how a release comes along while helm is at work on it: which hooks run, and what isn't ready yet.
import { type Repetition, repeat } from "@fairlead/kernel";
import type { Hook } from "@fairlead/kube";
import type { Task } from "../types.ts";
import { ObjectFinder, readableMadeObjects } from "./objects.ts";
import type { ReleaseStore } from "./release/release-store.ts";
import type { HelmSpec } from "./types.ts";

/** Never fails: nothing depends on it. */
export function watchRelease(task: Task<HelmSpec>, store: ReleaseStore): Repetition {
  const { clock, log, spec } = task;
  const finder = new ObjectFinder(task);
  const told = new Map<string, string>();
  let unreadyAtMs = clock.steadyMs();
  return repeat({ clock, intervalMs, run: look, onError: () => undefined });

  async function look(): Promise<void> {
    const head = await store.latest();
    if (head === undefined || !head.isOwn) return;
    tellOnce("release", `revision ${head.revision} is ${head.status}`);
    const release = await store.open(head);
    if (release === undefined) return;
    for (const hook of release.hooks) if (hook.phase !== undefined) tellOnce(nameHook(hook), tellHook(hook));
    if (!spec.wait.forObjects || clock.steadyMs() - unreadyAtMs < unreadyMs) return;
    unreadyAtMs = clock.steadyMs();
    const unready = await finder.unready(readableMadeObjects(release.manifest));
    if (unready.length === 0) return;
    log.line(`${unready.length} objects aren't ready yet:`);
    for (const text of unready.slice(0, maxTold)) log.line(`  ${text}`);
    if (unready.length > maxTold) log.line(`  and ${unready.length - maxTold} more`);
  }

  function tellOnce(what: string, text: string): void {
    if (told.get(what) === text) return;
    told.set(what, text);
    log.line(text);
  }
}

export function nameHook({ kind, name, events }: Hook): string {
  return `${kind} ${name} (${events.join(", ")})`;
}

function tellHook(hook: Hook): string {
  return `hook ${nameHook(hook)}: ${hook.phase?.toLowerCase()}`;
}

const intervalMs = 2_000;
const unreadyMs = 8_000;
const maxTold = 5;
