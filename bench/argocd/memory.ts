import { readOwnBytes, readResidentBytes } from "../harness/memory.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import type { ArgoStage } from "./stage.ts";

const mebibyte = 1024 * 1024;

/** After all that was measured before. */
export function measureMemory({ hub, joined }: ArgoStage, count: number): Row[] {
  const agentMib = readResidentBytes(joined.agent.process.pid) / mebibyte;
  return [
    {
      name: `the agent's resident memory with ${count} applications`,
      unit: "MiB",
      figures: { fairlead: agentMib },
      targets: [atMost(agentMib, 110, "MiB")],
    },
    hubMemoryOf(hub.process.pid, `the hub's memory with ${count} applications`),
  ];
}

export function hubMemoryOf(pid: number, name: string): Row {
  const mib = readOwnBytes(pid) / mebibyte;
  return { name, unit: "MiB", figures: { fairlead: mib }, targets: [atMost(mib, 250, "MiB")] };
}
