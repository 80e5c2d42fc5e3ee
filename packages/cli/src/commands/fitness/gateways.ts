import type { ObjectItem } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import {
  addClusterOptions,
  asList,
  asObject,
  asText,
  type ClusterOptions,
  describeAge,
  listAll,
  tellTroubles,
  toClusterFilter,
} from "../objects/index.ts";
import { addGatewaysPrefer } from "./prefer-gateway.ts";
import { describeSharedHosts, findSharedHosts, gatewayKind } from "./shared-hosts.ts";

export function addGateways(program: Command, open: OpenContext): void {
  const group = program.command("gateway").description("Manage gateways");
  addClusterOptions(
    group
      .command("list")
      .prints("gateway", ({ cluster, gateway }) => `${cluster}/${gateway}`)
      .formerly("gateways list")
      .description("List the gateways of clusters with their hosts and addresses")
      .examples("fairlead gateway list"),
  ).action((options: ClusterOptions, command: Command) => listGateways(open(command), options));
  addGatewaysPrefer(group, open);
}

async function listGateways(context: CommandContext, options: ClusterOptions): Promise<void> {
  const { output, signal } = context;
  const query = { ...toClusterFilter(options), kind: gatewayKind, include: "object", sort: "cluster" } as const;
  const { items, clusters } = await listAll(await context.hub(), query, { signal });
  const found = items.map(fieldsOfGateway);
  const sharedHosts = await findSharedHosts(items);
  const ages = new Map(clusters.map((age) => [age.cluster, age]));
  output.answer({ gateways: found, sharedHosts, clusters }, () => {
    const table = output.table(
      ["CLUSTER", "GATEWAY", "HOSTS", "ADDRESSES", "PODS", "AGE-OF-DATA"],
      found.map(({ cluster, gateway, hosts, addresses, hasPods }) => [
        output.safe(cluster),
        output.safe(gateway),
        output.safe(shorten(hosts)),
        output.safe(shorten(addresses)),
        hasPods ? "yes" : output.colors.yellow("none"),
        describeAge(output, ages.get(cluster), gatewayKind),
      ]),
    );
    return [table, describeSharedHosts(output, sharedHosts)].filter((part) => part !== "").join("\n");
  });
  tellTroubles(output, clusters);
}

function fieldsOfGateway({ cluster, name, object }: ObjectItem) {
  const { spec, status } = asObject(object);
  const { hosts, addresses, hasPods } = asObject(status);
  return {
    cluster,
    gateway: asText(asObject(spec)["id"]) || name,
    hosts: asList(hosts).map(asText),
    addresses: asList(addresses).map(asText),
    hasPods: hasPods === true,
  };
}

function shorten(texts: readonly string[]): string {
  if (texts.length === 0) return "-";
  return texts.slice(0, mostShown).join(",") + (texts.length > mostShown ? ` + ${texts.length - mostShown} more` : "");
}

const mostShown = 4;
