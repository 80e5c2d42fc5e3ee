import type { ExecuteCounters } from "../execute/index.ts";

export interface ExecutingSource {
  readonly counters: ExecuteCounters;
  readonly heldCount: number;
  readonly programs: ReadonlyMap<string, string>;
}

type Read<T> = () => T;
type Labels = Readonly<Record<string, string>>;

/** The metrics that the role execute adds to an agent's. */
export function readExecuting(
  source: ExecutingSource,
  add: {
    gauge(name: string, help: string, read: Read<number>): void;
    total(name: string, help: string, read: Read<number>): void;
    info(name: string, help: string, labels: readonly string[], read: Read<readonly Labels[]>): void;
    labelledTotal(name: string, help: string, label: string, read: Read<Readonly<Record<string, number>>>): void;
  },
): void {
  const { counters } = source;
  add.gauge("fairlead_agent_commands_held", "Commands that this agent is at work on.", () => source.heldCount);
  add.gauge(
    "fairlead_agent_commands_unreported",
    "Outcomes of commands that the hub hasn't taken yet.",
    () => counters.unreported,
  );
  add.total("fairlead_agent_commands_claimed_total", "Commands that were claimed.", () => counters.claimed);
  add.total(
    "fairlead_agent_commands_lost_total",
    "Claims that were lost before their commands ended.",
    () => counters.lost,
  );
  add.labelledTotal("fairlead_agent_commands_total", "Commands by their outcome.", "outcome", () => counters.ended);
  add.total("fairlead_agent_command_log_bytes_total", "Bytes of logs that the hub has taken.", () => counters.logBytes);
  add.info("fairlead_agent_command_programs", "1 for each program that commands can run.", ["program", "version"], () =>
    [...source.programs].map(([program, version]) => ({ program, version })),
  );
}
