// Holds on to what is claimed, and learns with each renewal what people ask of it.
import type { Clock } from "@fairlead/kernel";
import type { CommandHub } from "./command-hub.ts";
import type { ExecuteLog } from "./dependencies.ts";
import type { HeldCommand } from "./held-command.ts";
import { createWakeUp } from "./wake-up.ts";

export interface LeaseRenewal {
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Renews at once: the hub has something to say. */
  soon(): void;
  /** The next claim needn't wait for the lease to end. */
  giveBack(held: HeldCommand, signal: AbortSignal): Promise<void>;
}

export function createLeaseRenewal(options: {
  readonly hub: CommandHub;
  readonly instanceId: string;
  readonly held: () => readonly HeldCommand[];
  readonly clock: Clock;
  readonly log: Pick<ExecuteLog, "warn">;
}): LeaseRenewal {
  const { hub, instanceId, clock, log } = options;
  const wakeUp = createWakeUp({ clock });
  return { run, soon: wakeUp.soon, giveBack };

  async function run(signal: AbortSignal): Promise<void> {
    let waitMs = everyMs;
    while (!signal.aborted) {
      await wakeUp.wait(waitMs, signal);
      const held = options.held();
      waitMs = signal.aborted || held.length === 0 || (await renew(held, signal)) ? everyMs : retryMs;
    }
  }

  /** False when it has to be tried again. */
  async function renew(held: readonly HeldCommand[], signal: AbortSignal): Promise<boolean> {
    const { client } = hub;
    if (client === undefined) return false;
    const fromMs = clock.steadyMs();
    try {
      const commands = held.map(({ id, epoch }) => ({ id, epoch }));
      const answer = await client.renewLeases(
        { agentInstanceId: instanceId, commands },
        { signal, timeoutMs: callTimeoutMs },
      );
      const byId = new Map(answer.leases.map((lease) => [lease.id, lease]));
      for (const command of held) {
        const lease = byId.get(command.id);
        if (!lease?.held) {
          command.lease.lose();
          continue;
        }
        command.lease.extend(fromMs, lease.leaseMs);
        command.heed(lease.cancellation);
      }
      return true;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "the claims on commands can't be renewed yet");
      return false;
    }
  }

  async function giveBack({ id, epoch, lease }: HeldCommand, signal: AbortSignal): Promise<void> {
    lease.lose();
    const commands = [{ id, epoch, giveBack: true }];
    await hub.client
      ?.renewLeases({ agentInstanceId: instanceId, commands }, { signal, timeoutMs: callTimeoutMs })
      .catch(() => undefined);
  }
}

const everyMs = 10_000;
const retryMs = 2_000;
const callTimeoutMs = 8_000;
