import type { ExecuteCounters } from "../execute/index.ts";
import { type AgentMeter, byLabel } from "./meter.ts";

export interface ExecutingSource {
  readonly counters: ExecuteCounters;
  readonly heldCount: number;
  readonly programs: ReadonlyMap<string, string>;
}

/** The metrics that the role execute adds to an agent's. */
export function readExecuting(meter: AgentMeter, source: ExecutingSource): void {
  const { counters } = source;
  meter.add("fairlead_agent_commands_held", () => source.heldCount);
  meter.add("fairlead_agent_commands_unreported", () => counters.unreported);
  meter.add("fairlead_agent_commands_claimed_total", () => counters.claimed);
  meter.add("fairlead_agent_commands_lost_total", () => counters.lost);
  meter.add("fairlead_agent_commands_total", () => byLabel("outcome", { ...counters.ended }));
  meter.add("fairlead_agent_command_log_bytes_total", () => counters.logBytes);
  meter.add("fairlead_agent_command_programs", () =>
    [...source.programs].map(([program, version]) => [{ program, version }, 1]),
  );
}
