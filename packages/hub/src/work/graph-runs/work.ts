// A single hub at a time takes the runs of a kind further, in turn, whenever something happened to them. This only saves
// work: each step holds the run's row, so any hub writes the right thing.
import { type Clock, onAbort, repeat } from "@fairlead/kernel";
import type { Leases } from "../../platform/leases/index.ts";
import { isStoreFailure } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { GraphRunNews } from "./news.ts";

/** `more`: there is more to do at once. It does a bounded part of it, so that others have their turns. */
export type Advance = (id: string, signal: AbortSignal) => Promise<"more" | "done">;

export function startGraphRunWork(options: {
  /** The lease's name, and the name in the log. */
  readonly name: string;
  /** Those for which there may be something to do. */
  readonly listDue: () => Promise<readonly string[]>;
  readonly advance: Advance;
  readonly forget: () => Promise<unknown>;
  readonly news: GraphRunNews;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Logger;
}): AsyncDisposable {
  const { name, listDue, advance, forget, news, leases, clock, log } = options;
  return leases.hold(name, { work: ({ signal }) => work(signal) });

  async function work(signal: AbortSignal): Promise<void> {
    const due = new Set<string>();
    let isLookDue = true;
    let forgotMs = clock.steadyMs();
    let wake: () => void = () => undefined;
    const look = (): void => {
      isLookDue = true;
      wake();
    };
    using _hearing = news.listen((id) => {
      if (id === undefined) return look();
      due.add(id);
      wake();
    });
    using _looking = repeat({ clock, intervalMs: lookMs, run: look, onError });
    using _ending = onAbort(signal, () => wake());
    while (!signal.aborted) {
      const [id] = due;
      if (isLookDue) {
        isLookDue = false;
        for (const one of await listDue().catch(onFailure)) due.add(one);
        if (clock.steadyMs() - forgotMs < forgetEveryMs) continue;
        forgotMs = clock.steadyMs();
        await forget().catch(onError);
      } else if (id !== undefined) {
        due.delete(id);
        // Behind the others.
        if ((await advance(id, signal).catch(onError)) === "more") due.add(id);
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  function onFailure(error: unknown): string[] {
    onError(error);
    return [];
  }

  function onError(error: unknown): undefined {
    // The store itself reports that it is away. The next look tries again.
    if (!isStoreFailure(error)) log.warn({ err: error }, `one of the ${name} couldn't be taken further`);
  }
}

/** Between two looks at all runs that haven't ended. News make it sooner. */
const lookMs = 5_000;
const forgetEveryMs = 5 * 60_000;
