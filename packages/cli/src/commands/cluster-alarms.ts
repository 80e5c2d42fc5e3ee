import type { ClusterAlarm, ClusterDetail, HubClient } from "@fairlead/contract";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { hubCodes } from "../hub-codes.ts";
import { formatSpan } from "../output/index.ts";

interface AlarmsOptions {
  readonly seen?: boolean;
}

export function addClusterAlarms(cluster: Command, open: OpenContext): void {
  cluster
    .command("alarm")
    .description("See a cluster's alarms")
    .command("list")
    .prints("alarm")
    .formerly("cluster alarms")
    .description("List a cluster's alarms that nobody has marked as seen")
    .examples("fairlead cluster alarm list east", "fairlead cluster alarm list east --seen")
    .argument("<name>", "Name of the cluster")
    .option("--seen", "Mark the listed alarms as seen")
    .action((name: string, options: AlarmsOptions, command: Command) => showAlarms(open(command), name, options));
}

/** Also part of `cluster get`. */
export function renderAlarms({ output, terminal }: CommandContext, { alarms = [] }: ClusterDetail): string {
  if (alarms.length === 0) return "";
  const since = (timestamp: string): string => formatSpan(terminal.now() - Date.parse(timestamp));
  const rows = alarms.map((alarm) => [
    since(alarm.lastAt),
    since(alarm.firstAt),
    String(alarm.count),
    output.colors.red(output.safe(alarm.type)),
    `${output.safe(alarm.message)}${alarm.isSum ? " (the latest of many different ones)" : ""}`,
  ]);
  return output.table(["LAST", "FIRST", "TIMES", "ALARM", "MESSAGE"], rows);
}

async function showAlarms(context: CommandContext, name: string, { seen = false }: AlarmsOptions): Promise<void> {
  const { hub, output, signal } = context;
  const client = await hub();
  const detail = await client.getCluster(name, { signal });
  const { alarms = [] } = detail;

  output.answer({ items: alarms }, () => renderAlarms(context, detail));
  if (alarms.length === 0) return output.remark("No alarms.");
  if (!seen) return;
  let count = 0;
  for (const alarm of alarms) if (await markSeen(client, { name, alarm, signal })) count += 1;
  output.remark(
    `Seen: ${count}.${count < alarms.length ? " The others were raised again meanwhile, or seen by someone else." : ""}`,
  );
}

/** False when there is something new to see about it, or nothing any more. */
async function markSeen(
  client: HubClient,
  { name, alarm: { id, count }, signal }: { name: string; alarm: ClusterAlarm; signal: AbortSignal },
): Promise<boolean> {
  try {
    await client.seeClusterAlarm(name, id, { count }, { signal });
    return true;
  } catch (thrown) {
    if (hubCodes.is(thrown, "CLUSTER_ALARM_AGAIN", "CLUSTER_ALARM_NOT_FOUND")) return false;
    throw thrown;
  }
}
