import type { ClusterDetail, ClusterInventory, HubClient } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { formatSpan } from "../output/index.ts";
import { renderAlarms } from "./cluster-alarms.ts";
import { inventoryFacts, renderKindTroubles } from "./cluster-inventory-text.ts";
import { formatLabels, paintCluster } from "./cluster-text.ts";

export function addClusterShow(cluster: Command, open: OpenContext): void {
  cluster
    .command("get")
    .prints("cluster")
    .formerly("cluster show")
    .description("Show a cluster: its alarms, links, identities, inventory, and latest events")
    .examples("fairlead cluster get east")
    .argument("<name>", "Name of the cluster")
    .action((name: string, _options: object, command: Command) => showCluster(open(command), name));
}

async function showCluster(context: CommandContext, name: string): Promise<void> {
  const { hub, output, signal } = context;
  const client = await hub();
  const detail = await client.getCluster(name, { signal });
  const inventory = await findInventory(client, name, signal);

  output.answer({ ...detail, ...(inventory && { inventory }) }, () => {
    const parts = [
      describeFacts(context, detail, inventory),
      renderAlarms(context, detail),
      inventory ? renderKindTroubles(context, inventory) : "",
      describeLinks(context, detail),
      describeIdentities(context, detail),
      describeEvents(context, detail),
    ];
    return parts.filter((part) => part !== "").join("\n");
  });
}

/** Leaves out what the hub can't say, or not to this caller. */
async function findInventory(
  client: HubClient,
  name: string,
  signal: AbortSignal,
): Promise<ClusterInventory | undefined> {
  try {
    return await client.getInventory(name, { signal });
  } catch (thrown) {
    if (isFairleadError(thrown) && [403, 404].includes(thrown.httpStatus)) return undefined;
    throw thrown;
  }
}

function describeFacts(
  context: CommandContext,
  detail: ClusterDetail,
  inventory: ClusterInventory | undefined,
): string {
  const { output } = context;
  const reason = detail.stateReason === undefined ? "" : `: ${output.safe(detail.stateReason)}`;
  const facts: [string, string][] = [
    ["Name", output.safe(detail.name)],
    ["State", `${paintCluster(output, detail)} for ${since(context, detail.stateSince)}${reason}`],
    ["Roles", describeRoles(detail)],
    ["Labels", output.safe(formatLabels(detail.labels))],
    ["Registered", `${since(context, detail.createdAt)} ago`],
    ["Last seen", detail.lastSeenAt === undefined ? "never" : `${since(context, detail.lastSeenAt)} ago`],
    ["Kubernetes", output.safe(detail.kubernetesVersion)],
    ["kube-system", describeUid(context, detail)],
    ["Agent", output.safe(detail.agentVersion)],
    // The refusal says it better.
    ...(inventory ? inventoryFacts(output, inventory).filter(([name]) => name !== "Replaced" || !detail.refusal) : []),
  ];
  const { refusal } = detail;
  if (refusal) {
    facts.push(["Refused", output.colors.red(`${output.safe(refusal.message)} (${output.safe(refusal.code)})`)]);
    if (refusal.hint) facts.push(["", output.safe(refusal.hint)]);
  }
  const { clockSkewMs = 0 } = detail;
  // Certificates allow a minute either way; below that a person can't do anything with the number.
  if (Math.abs(clockSkewMs) >= 60_000) {
    facts.push(["Clock", `${formatSpan(clockSkewMs)} ${clockSkewMs > 0 ? "ahead of" : "behind"} the hub's`]);
  }
  return facts.map(([name, value]) => `${output.colors.dim((name && `${name}:`).padEnd(13))}${value}\n`).join("");
}

/** Each role needs an identity that is for it and an agent that runs it. */
function describeRoles({ roles, identityRoles, linkedRoles = [] }: ClusterDetail): string {
  if (!identityRoles) return roles.join(", ");
  const all = [...new Set([...roles, ...identityRoles])];
  return all
    .map((role) => {
      if (linkedRoles.includes(role)) return `${role} (live)`;
      return `${role} (${identityRoles.includes(role) ? "enrolled, not live" : "not enrolled"})`;
    })
    .join(", ");
}

function describeUid({ output }: CommandContext, { kubeSystemUid, links }: ClusterDetail): string {
  if (kubeSystemUid !== undefined || links.length === 0) return output.safe(kubeSystemUid);
  return output.colors.yellow("unverified: no agent has said which cluster it is in");
}

function describeLinks(context: CommandContext, { links }: ClusterDetail): string {
  const { output } = context;
  if (links.length === 0) return "";
  const rows = links.map((link) => [
    output.safe(link.id),
    link.roles.join(","),
    since(context, link.connectedAt),
    output.safe(link.remoteAddress),
    output.safe(link.agentVersion),
    link.refusal === undefined ? "yes" : output.colors.red(`no: ${output.safe(link.refusal.code)}`),
  ]);
  return output.table(["LINK", "ROLES", "CONNECTED", "FROM", "AGENT", "USED"], rows);
}

function describeIdentities(context: CommandContext, { identities }: ClusterDetail): string {
  const { output, terminal } = context;
  if (identities.length === 0) return "";
  const rows = identities.map((identity) => [
    output.safe(identity.keyThumbprint.slice(0, 16)),
    identity.roles.join(","),
    since(context, identity.enrolledAt),
    identity.notAfter === undefined ? "-" : until(identity.notAfter, terminal.now()),
    identity.revokedAt === undefined ? "-" : `${since(context, identity.revokedAt)} ago`,
  ]);
  return output.table(["KEY", "ROLES", "ENROLLED", "CERTIFICATE", "REVOKED"], rows);
}

function describeEvents(context: CommandContext, { events }: ClusterDetail): string {
  const { output } = context;
  if (events.length === 0) return "";
  const paint = { info: (text: string) => text, warning: output.colors.yellow, alarm: output.colors.red };
  const rows = events.map((event) => [
    since(context, event.at),
    paint[event.level](event.level),
    output.safe(event.type),
    output.safe(event.message),
  ]);
  return output.table(["AGE", "LEVEL", "EVENT", "MESSAGE"], rows);
}

function since({ terminal }: CommandContext, timestamp: string): string {
  return formatSpan(terminal.now() - Date.parse(timestamp));
}

function until(timestamp: string, now: number): string {
  const leftMs = Date.parse(timestamp) - now;
  return leftMs > 0 ? `ends in ${formatSpan(leftMs)}` : `ended ${formatSpan(leftMs)} ago`;
}
