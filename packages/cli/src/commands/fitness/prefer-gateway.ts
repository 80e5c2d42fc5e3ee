import type { Gateway, Snapshot } from "@fairlead/doctor";
import type { ClusterAccess } from "@fairlead/kube";
import type { Command } from "../../command.ts";
import { reachCluster } from "../../connection/index.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { type Difference, showDifferences } from "../../difference/index.ts";
import { cliErrors, usage } from "../../errors.ts";
import type { Terminal } from "../../terminal.ts";

export function addGatewaysPrefer(gateways: Command, open: OpenContext): void {
  gateways
    .command("prefer")
    .formerly("gateways prefer")
    .description("Record which gateway serves a host and port that several gateways claim")
    .examples("fairlead gateway prefer '*.apps.example.com:443' istio/istio-system/public --cluster east")
    .argument("<host:port>", "Host and port as the gateways write them, for example *.apps.example.com:443")
    .argument("<gateway>", "Gateway that serves them, for example istio/istio-system/public")
    .requiredOption("--cluster <cluster>", "Name of the cluster")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((key: string, id: string, options: PreferOptions, command: Command) =>
      preferGateway(open(command), { key: key.toLowerCase(), id, ...options }),
    );
}

interface PreferOptions {
  readonly cluster: string;
  readonly dryRun?: boolean;
}

interface Choice extends PreferOptions {
  /** `HOST:PORT` */
  readonly key: string;
  readonly id: string;
}

async function preferGateway(context: CommandContext, { key, id, cluster, dryRun }: Choice): Promise<void> {
  const { output, hubContext, contextRef, terminal } = context;
  if (!/^[^:,\s]+:\d{1,5}$/.test(key)) throw usage(`'${key}' isn't a host and a port.`, "Write HOST:PORT.");
  const access = reachCluster({ cluster, hubContext: await hubContext() }, terminal, contextRef.file);
  const gateways = await readClaims(access, terminal);
  const rivals = gateways.filter(({ listeners }) => listeners.some(({ host, port }) => `${host}:${port}` === key));
  const chosen = rivals.find((gateway) => gateway.id === id);
  const known = rivals.map((rival) => rival.id).join(", ") || "none";
  if (!chosen) throw cliErrors.CLI_GATEWAY_UNKNOWN({ gateway: id, key, cluster, known });
  // Losers first: two gateways that are chosen for the same settle nothing.
  const losers = gateways.filter((gateway) => gateway !== chosen && gateway.chosenFor.includes(key));
  const records: GatewayRecord[] = [
    ...losers.map((gateway) => ({ gateway, keys: gateway.chosenFor.filter((each) => each !== key) })),
    { gateway: chosen, keys: [...new Set([...chosen.chosenFor, key])] },
  ];
  if (dryRun) return showDifferences(context, await foreseeRecords(records));
  await writeRecords(access, records, terminal);
  output.answer({ cluster, host: key, gateway: id }, () => `${output.safe(id)} serves ${output.safe(key)}.\n`);
}

async function readClaims(access: ClusterAccess, { signal, trace }: Terminal): Promise<readonly Gateway[]> {
  const { readAllGateways, readGateways } = await import("@fairlead/doctor");
  const { readCluster } = await import("../../doctor/index.ts");
  const lateness = AbortSignal.timeout(timeoutMs);
  // The first rounds have read little yet: only at the end is something hidden that wasn't read.
  const examine = (snapshot: Snapshot) => {
    readGateways(snapshot);
    return snapshot;
  };
  const { examined } = await readCluster({ access, examine, namespaces: [], lateness, signal, trace });
  return readAllGateways(examined);
}

interface GatewayRecord {
  readonly gateway: Gateway;
  /** `HOST:PORT`; none takes the annotation away. */
  readonly keys: readonly string[];
}

async function foreseeRecords(records: readonly GatewayRecord[]): Promise<readonly Difference[]> {
  const { servesAnnotation } = await import("@fairlead/doctor");
  const annotate = (keys: readonly string[]): object =>
    keys.length === 0 ? {} : { [servesAnnotation]: [...keys].sort().join(",") };
  return records.map(({ gateway, keys }) => ({
    what: `gateway/${gateway.id}`,
    before: { annotations: annotate(gateway.chosenFor) },
    after: { annotations: annotate(keys) },
    source: "flags",
  }));
}

/** The annotation stays beside others: this applies nothing else, under a name of its own. */
async function writeRecords(
  access: ClusterAccess,
  records: readonly GatewayRecord[],
  { signal, trace }: Terminal,
): Promise<void> {
  const { servesAnnotation } = await import("@fairlead/doctor");
  const { apiVersionOf, applyObject, discoverApis, kubeErrors, resourceKey } = await import("@fairlead/kube");
  const { openKubeClient } = await import("../../cluster-client/index.ts");
  await using client = openKubeClient({ access, trace });
  const { resources } = await discoverApis({ client, signal });
  for (const { gateway, keys } of records) {
    const { resource: key, namespace, name } = gateway.object;
    const resource = resources.find((each) => resourceKey(each) === key);
    if (!resource) throw kubeErrors.KUBE_NOT_FOUND({ message: `${key} no longer exist.` });
    const annotations = keys.length === 0 ? {} : { [servesAnnotation]: keys.join(",") };
    const object = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: { name, ...(namespace !== undefined && { namespace }), annotations },
    };
    const how = { fieldManager: "fairlead-gateways", isForced: true, isDryRun: false };
    await applyObject({ client, resource, namespace, name, object, signal, ...how });
  }
}

const timeoutMs = 60_000;
