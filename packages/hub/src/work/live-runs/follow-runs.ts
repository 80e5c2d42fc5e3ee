// The newest runs that fit a question and that the caller may see, as they come, change and go. They are read again when
// something was heard; who has no credit gets what is so by then.
import type { Command, RunFilter } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { Access, Principal } from "../../people/access/index.ts";
import { stateOf } from "./follow-run.ts";
import { createHints } from "./hints.ts";
import type { ChangedRun, RunNews } from "./news.ts";
import type { Outlet } from "./outlet.ts";

export interface RunListPorts {
  /** Newest first, those that the principal may see. */
  readonly listNewest: (principal: Principal, filter: RunFilter) => Promise<readonly Command[]>;
  readonly news: Pick<RunNews, "listen">;
  readonly access: Pick<Access, "onChanged">;
  readonly clock: Clock;
}

/** Never resolves. Rejects with what is wrong, or when the signal aborts. */
export async function followRuns(
  ports: RunListPorts,
  following: {
    readonly request: { readonly id: string; readonly filter: RunFilter };
    readonly principal: Principal;
    readonly outlet: Pick<Outlet, "send">;
    readonly signal: AbortSignal;
  },
): Promise<never> {
  const { listNewest, news, access, clock } = ports;
  const { request, principal, outlet, signal } = following;
  const { id, filter } = request;
  const hints = createHints({ clock, everyMs: lookMs, gatherMs });
  using stack = new DisposableStack();
  stack.use(news.listen((changed) => void (isAbout(filter, changed) && hints.hear())));
  stack.defer(access.onChanged(hints.hear));
  let told: ReadonlyMap<string, string> | undefined;
  for (;;) {
    const runs = await listNewest(principal, filter);
    const now = new Map(runs.map((run) => [run.id, stateOf(run)]));
    const items = runs.filter((run) => now.get(run.id) !== told?.get(run.id));
    const gone = [...(told?.keys() ?? [])].filter((each) => !now.has(each));
    const isNews = told === undefined || items.length + gone.length > 0;
    if (isNews) await outlet.send({ type: "runs", id, items, gone });
    told = now;
    await hints.wait(signal);
  }
}

function isAbout({ cluster }: RunFilter, changed: ChangedRun | undefined): boolean {
  return changed === undefined || cluster === undefined || cluster.split(",").includes(changed.cluster);
}

/** So that a burst is one look. */
const gatherMs = 250;
const lookMs = 10_000;
