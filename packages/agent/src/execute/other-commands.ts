// What is known of other commands of this cluster: a lock that one of them left can be opened once it has ended.
import { hostname } from "node:os";
import type { ExecuteDependencies } from "./dependencies.ts";
import type { OtherCommand, OtherCommands } from "./types.ts";

export function createOtherCommands({
  records,
  hub,
  instanceId,
}: Pick<ExecuteDependencies, "records" | "hub" | "instanceId">): OtherCommands {
  const { namespace } = records;
  const place = namespace === undefined ? `${hostname()}:${records.place}` : `namespace ${namespace}`;
  return {
    place,
    async hasEnded(command, signal) {
      const stored = await records.find(command.id, signal);
      const life = stored?.record.life.is;
      if (life === "ended" || life === "settled") return true;
      // Records go when they aren't needed any more. A command with records elsewhere may be another hub's.
      if (stored === undefined && command.place !== place) return false;
      return await isOver(command, signal);
    },
  };

  /** The hub gives up commands that no agent brings to their end. */
  async function isOver({ id, epoch }: OtherCommand, signal: AbortSignal): Promise<boolean> {
    const request = { agentInstanceId: instanceId, commands: [{ id, epoch: BigInt(epoch) }] };
    const answer = await hub.client?.renewLeases(request, { signal, timeoutMs: callTimeoutMs });
    return answer?.leases[0]?.over === true;
  }
}

const callTimeoutMs = 10_000;
