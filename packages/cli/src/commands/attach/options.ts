import { existsSync } from "node:fs";
import type { Labels, Role } from "@fairlead/contract";
import { Option } from "commander";
import type { Command } from "../../command.ts";
import { usage } from "../../errors.ts";
import { parseSpan } from "../../output/index.ts";
import { addChartValues, type ChartValues, toValueArguments } from "../chart-values.ts";
import { collectLabel } from "../collect.ts";
import { joinOptions } from "../join.ts";

export interface AttachOptions extends ChartValues {
  /** kubectl's. */
  readonly context: string;
  readonly kubeconfig?: string;
  readonly role?: Role[];
  readonly label?: Labels;
  readonly namespace: string;
  readonly chart: string;
  readonly imageRegistry?: string;
  readonly timeout: number;
  readonly dryRun?: boolean;
}

export function addAttachOptions(command: Command): Command {
  const role = joinOptions().find(({ long }) => long === "--role");
  if (role) command.addOption(role);
  command
    .option("--kube-context <context>", "Context of the cluster in the kubeconfig (required)")
    .option("--kubeconfig <file>", "Kubeconfig that has the context (default: the one that kubectl uses)")
    .option("--label <key=value>", "Label of a new cluster, for example env=prod; can be repeated", collectLabel)
    .option("-n, --namespace <namespace>", "Namespace to install the agent in", "fairlead")
    .option("--chart <chart>", "Chart of the agent: a folder, a file, or oci://REGISTRY/…", "charts/fairlead-agent")
    .option("--image-registry <registry>", "Registry to pull the agent's image from");
  return addChartValues(command)
    .addOption(
      new Option("--timeout <time>", "Maximum time to wait until the hub sees the agent live")
        .argParser(parseSpan)
        .default(300_000, "5m"),
    )
    .option("--dry-run", "Check everything and print what would be done, without doing it");
}

/** The parts that the chart has; another is refused before anything is made. */
export function checkRoles(roles: readonly Role[]): void {
  const other = roles.find((role) => !chartRoles.includes(role));
  if (other === undefined) return;
  throw usage(`The chart doesn't support the role '${other}' yet.`, `Supported roles are ${chartRoles.join(" and ")}.`);
}

const chartRoles: readonly Role[] = ["proxy", "observe"];

/** Makes the chart's values that this command itself decides. */
export function toHelmValues(
  options: AttachOptions,
  {
    roles,
    hubAgentUrl,
    secret,
  }: { readonly roles: readonly Role[]; readonly hubAgentUrl: string; readonly secret: string },
): string[] {
  const { imageRegistry } = options;
  return [
    "--set-string",
    `hub.url=${escapeValue(hubAgentUrl)}`,
    "--set-string",
    `token.existingSecret=${secret}`,
    ...chartRoles.flatMap((role) => ["--set", `${role}.enabled=${roles.includes(role)}`]),
    ...(imageRegistry === undefined ? [] : ["--set-string", `image.registry=${escapeValue(imageRegistry)}`]),
    ...toValueArguments(options),
  ];
}

/** True when the person says himself where agents dial. */
export function namesHubUrl({ set = [], setString = [] }: AttachOptions): boolean {
  return [...set, ...setString].some((value) => /(?:^|,)hub\.url=/.test(value));
}

/** True when the person has said, or may have in a file, what people can do in the cluster. */
export function choosesRights({ set = [], setString = [], values = [] }: AttachOptions): boolean {
  return values.length > 0 || [...set, ...setString].some((value) => value.includes("proxy.defaultGroups."));
}

/** A relative path that isn't there is taken for a repository's chart by Helm, with a message that misleads. */
export function isMissingFolder(chart: string): boolean {
  return !/^\w+:\/\//.test(chart) && chart.includes("/") && !existsSync(chart);
}

/** Helm takes a comma for the next value. */
function escapeValue(text: string): string {
  return text.replaceAll(/[,\\]/g, (mark) => `\\${mark}`);
}
