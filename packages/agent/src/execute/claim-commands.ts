// Asks the hub for commands: when it hints that there are some, when there is room again, and now and then.
import { Backoff, type Clock, type FairleadError, sleep } from "@fairlead/kernel";
import type { ClaimedCommand } from "@fairlead/protocol";
import type { CommandHub } from "./command-hub.ts";
import type { ExecuteLog } from "./dependencies.ts";
import { createWakeUp } from "./wake-up.ts";

export interface CommandClaims {
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** There may be room, or keys. */
  soon(): void;
}

export function createCommandClaims(options: {
  readonly hub: CommandHub;
  readonly instanceId: string;
  /** False while the hub can't be asked, which the log of links says. */
  readonly isLinked: () => boolean;
  readonly kinds: () => readonly string[];
  /** How many more can be carried out. */
  readonly room: () => number;
  /** Why nothing may be claimed. */
  readonly shortcoming: () => FairleadError | undefined;
  /** A claim holds from before it was asked for. */
  readonly take: (command: ClaimedCommand, fromMs: number) => void;
  /** The hub has something to say about claimed ones. */
  readonly onChanged: () => void;
  readonly clock: Clock;
  readonly log: ExecuteLog;
  readonly random?: () => number;
}): CommandClaims {
  const { hub, instanceId, isLinked, kinds, room, shortcoming, take, onChanged, clock, log } = options;
  const { random = Math.random } = options;
  const failing = new Backoff({ baseMs: 1_000, maxMs: 15_000, random });
  const wakeUp = createWakeUp({ clock });
  let said: string | undefined;
  return {
    run: async (signal) => void (await Promise.all([listen(signal), claim(signal)])),
    soon: wakeUp.soon,
  };

  async function listen(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff({ baseMs: 500, maxMs: 15_000, random });
    while (!signal.aborted) {
      try {
        const client = await hub.untilClient(signal);
        for await (const hint of client.await({}, { signal })) {
          backoff.reset();
          if (hint.changedCommands.length > 0) onChanged();
          if (hint.queued) wakeUp.soon();
        }
      } catch (error) {
        log.debug({ err: error }, "hints about commands don't come");
      }
      await sleep(backoff.nextMs() + 100, { clock, signal }).catch(() => undefined);
    }
  }

  async function claim(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wakeUp.wait(await claimNext(signal), signal);
    }
  }

  /** How long to wait for the next look. */
  async function claimNext(signal: AbortSignal): Promise<number> {
    if (!isLinked()) return everyMs;
    const { client } = hub;
    const why = shortcoming();
    tell(why);
    const most = room();
    if (client === undefined || why !== undefined || most <= 0) return everyMs;
    const fromMs = clock.steadyMs();
    try {
      const request = { agentInstanceId: instanceId, most, kinds: [...kinds()] };
      const { commands } = await client.claim(request, { signal, timeoutMs: callTimeoutMs });
      // The agent takes no more commands than it asked for. The lease of any other command expires, and it is claimed again.
      for (const command of commands.slice(0, most)) take(command, fromMs);
      failing.reset();
      if (commands.length > 0) wakeUp.soon();
      return everyMs * (0.8 + random() * 0.4);
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "commands can't be claimed now");
      return failing.nextMs() + 500;
    }
  }

  /** Once, as long as it stays the same. */
  function tell(why: FairleadError | undefined): void {
    if (why?.code === said) return;
    said = why?.code;
    if (why) log.warn({ code: why.code, hint: why.hint }, `no commands are claimed: ${why.message}`);
    else log.info({}, "commands are claimed");
  }
}

const everyMs = 10_000;
const callTimeoutMs = 10_000;
