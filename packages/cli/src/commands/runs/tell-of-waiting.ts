// Who waits for a run hears that it waits for people, and how they answer.
import type { HubClient, Command as Run } from "@fairlead/contract";
import type { CommandContext } from "../../context.ts";
import { pause } from "../../files/index.ts";
import { describeWaiting } from "./run-text.ts";

/** Looks now and then, until it is disposed of. */
export function tellOfWaiting(
  context: Pick<CommandContext, "output" | "signal">,
  hub: Pick<HubClient, "getCommand">,
  { id, approval }: Run,
): Disposable {
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  // What is wrong is said by who waits.
  if (approval !== undefined) void look().catch(() => undefined);
  return { [Symbol.dispose]: () => over.abort() };

  async function look(): Promise<void> {
    let told = 0;
    for (;;) {
      const run = await hub.getCommand(id, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      const given = run?.approval?.given ?? 0;
      if (run?.state === "awaiting-approval" && told <= given) {
        context.output.notice(describeWaiting(context, run));
        told = given + 1;
      }
      if (run?.finishedAt !== undefined || run?.state === "approved") return;
      await pause(everyMs, signal);
    }
  }
}

const everyMs = 2_000;
