import type { Gateway } from "@fairlead/doctor";
import type { ClusterAccess } from "@fairlead/kube";
import type { Command } from "commander";
import { reachCluster } from "../../connection/index.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { cliErrors, usage } from "../../errors.ts";

export function addGatewaysPrefer(gateways: Command, open: OpenContext): void {
  gateways
    .command("prefer")
    .description("record which gateway serves a host and port that several of them claim")
    .argument("<host:port>", "as the gateways write it: *.apps.example.com:443")
    .argument("<gateway>", "the one that wins: istio/istio-system/public")
    .requiredOption("--cluster <cluster>", "the cluster")
    .action((key: string, id: string, { cluster }: { readonly cluster: string }, command: Command) =>
      preferGateway(open(command), { key: key.toLowerCase(), id, cluster }),
    );
}

interface Choice {
  /** `HOST:PORT` */
  readonly key: string;
  readonly id: string;
  readonly cluster: string;
}

async function preferGateway(context: CommandContext, { key, id, cluster }: Choice): Promise<void> {
  const { output, profile, profileRef, signal, terminal } = context;
  if (!/^[^:,\s]+:\d{1,5}$/.test(key)) throw usage(`'${key}' isn't a host and a port.`, "Write HOST:PORT.");
  const access = reachCluster({ cluster, profile: await profile() }, terminal, profileRef.file);
  const gateways = await readClaims(access, signal);
  const rivals = gateways.filter(({ listeners }) => listeners.some(({ host, port }) => `${host}:${port}` === key));
  const chosen = rivals.find((gateway) => gateway.id === id);
  const known = rivals.map((rival) => rival.id).join(", ") || "none";
  if (!chosen) throw cliErrors.CLI_GATEWAY_UNKNOWN({ gateway: id, key, cluster, known });
  // Losers first: two gateways that are chosen for the same settle nothing.
  for (const gateway of gateways) {
    if (gateway !== chosen && gateway.chosenFor.includes(key))
      await record(access, { gateway, keys: gateway.chosenFor.filter((each) => each !== key), signal });
  }
  await record(access, { gateway: chosen, keys: [...new Set([...chosen.chosenFor, key])], signal });
  output.answer({ cluster, host: key, gateway: id }, () => `${output.safe(id)} serves ${output.safe(key)}.\n`);
}

async function readClaims(access: ClusterAccess, signal: AbortSignal): Promise<readonly Gateway[]> {
  const { readAllGateways } = await import("@fairlead/doctor");
  const { readCluster } = await import("../../doctor/index.ts");
  const lateness = AbortSignal.timeout(timeoutMs);
  const { examined } = await readCluster({ access, examine: readAllGateways, namespaces: [], lateness, signal });
  return examined;
}

/** The annotation stays beside others: this applies nothing else, under a name of its own. */
async function record(
  access: ClusterAccess,
  {
    gateway,
    keys,
    signal,
  }: { readonly gateway: Gateway; readonly keys: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const { servesAnnotation } = await import("@fairlead/doctor");
  const { apiVersionOf, applyObject, createKubeClient, discoverApis, kubeErrors, resourceKey } = await import(
    "@fairlead/kube"
  );
  await using client = createKubeClient({ access });
  const { resources } = await discoverApis({ client, signal });
  const resource = resources.find((each) => resourceKey(each) === gateway.object.resource);
  if (!resource) throw kubeErrors.KUBE_NOT_FOUND({ message: `There are no ${gateway.object.resource} any more.` });
  const { namespace, name } = gateway.object;
  const annotations = keys.length === 0 ? {} : { [servesAnnotation]: keys.join(",") };
  const object = {
    ...{ apiVersion: apiVersionOf(resource), kind: resource.kind },
    metadata: { name, ...(namespace !== undefined && { namespace }), annotations },
  };
  const how = { fieldManager: "fairlead-gateways", isForced: true, isDryRun: false };
  await applyObject({ client, resource, namespace, name, object, signal, ...how });
}

const timeoutMs = 60_000;
