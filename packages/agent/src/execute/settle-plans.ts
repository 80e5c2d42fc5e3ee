// Plans wait in the cluster for people. Those that nobody will approve any more (rejected, cancelled, expired) are let go as
// soon as the hub says so, and take no room.
import type { CommandHub } from "./command-hub.ts";
import type { RecordStore, StoredRecord } from "./records/index.ts";

export async function settlePlans(
  {
    hub,
    records,
    instanceId,
  }: { readonly hub: CommandHub; readonly records: RecordStore; readonly instanceId: string },
  plans: readonly StoredRecord[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < plans.length; from += mostAsked) {
    const some = plans.slice(from, from + mostAsked);
    const commands = some.map(({ record }) => ({ id: record.id, epoch: BigInt(record.epoch) }));
    // Nobody holds them, so that nothing is renewed.
    const request = { agentInstanceId: instanceId, commands };
    const answer = await hub.client?.renewLeases(request, { signal, timeoutMs: callTimeoutMs });
    for (const { id, over } of answer?.leases ?? []) {
      const plan = over ? some.find(({ record }) => record.id === id) : undefined;
      // Lost to another writer it is that one's.
      if (plan)
        await records.write({ ...plan.record, life: { is: "settled", outcomeDigest: "" } }, plan.version, signal);
    }
  }
}

const mostAsked = 64;
const callTimeoutMs = 10_000;
