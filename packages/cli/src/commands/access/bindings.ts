import type { AccessBinding, BindingSubject, ClusterChoice, Labels } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { formatLabels } from "../cluster-text.ts";
import { collectLabel, collectText } from "../collect.ts";
import { confirm } from "../confirm.ts";
import { formatSubject } from "./subject.ts";

interface BindOptions {
  readonly user?: string;
  readonly group?: string;
  readonly robot?: string;
  readonly cluster?: string[];
  readonly clusterSelector?: Labels;
  readonly allClusters?: boolean;
  readonly record?: boolean;
}

export function addBindingCommands(access: Command, open: OpenContext): void {
  const binding = access.command("binding").description("Give and take roles.");
  binding
    .command("list")
    .formerly("access bindings")
    .description("list who has which role, and where")
    .action((_options: object, command: Command) => listBindings(open(command)));
  binding
    .command("create")
    .formerly("access bind")
    .description("give a role to a user, a group or a robot")
    .argument("<role>", "the role")
    .option("--user <user>", "a user, as the identity provider names him")
    .option("--group <group>", "a group of the identity provider's")
    .option("--robot <robot>", "a robot")
    .option("--cluster <cluster>", "in this cluster; repeat for more", collectText)
    .option("--cluster-selector <key=value>", "in clusters with this label; repeat for more", collectLabel)
    .formerOption("--selector <key=value>", "--cluster-selector")
    .option("--all-clusters", "in every cluster, and on the hub itself")
    .option("--record", "record every exec and attach under this binding")
    .action((role: string, options: BindOptions, command: Command) => bind(open(command), role, options));
  binding
    .command("delete")
    .formerly("access unbind")
    .description("take a role away again; open streams end at once")
    .argument("<binding>", "its id, as 'bindings' shows it")
    .option("-y, --yes", "don't ask")
    .action((id: string, options: { readonly yes?: boolean }, command: Command) =>
      unbind(open(command), id, options.yes),
    );
}

async function listBindings({ hub, output, signal }: CommandContext): Promise<void> {
  const list = await (await hub()).listBindings({ signal });
  const rows = list.items.map((binding) => [
    output.safe(binding.id),
    output.safe(formatSubject(binding.subject)),
    output.safe(binding.role),
    output.safe(formatClusters(binding.clusters)),
    binding.record === true ? "yes" : "no",
  ]);
  output.answer(list, () => output.table(["BINDING", "WHO", "ROLE", "CLUSTERS", "RECORDED"], rows));
}

async function bind({ hub, output, signal }: CommandContext, role: string, options: BindOptions): Promise<void> {
  const [subject, clusters] = [subjectOf(options), clustersOf(options)];
  const binding = await (await hub()).createBinding({ subject, role, clusters, record: options.record }, { signal });
  output.answer(binding, () => describeBound(output.safe, binding));
  for (const warning of binding.warnings ?? []) output.remark(`Warning: ${output.safe(warning)}`);
}

function describeBound(safe: (text: string) => string, binding: AccessBinding): string {
  const { subject, role, clusters, id } = binding;
  const where = formatClusters(clusters);
  return `${safe(formatSubject(subject))} is ${safe(role)} in ${safe(where)} (binding ${safe(id)}).\n`;
}

function subjectOf({ user, group, robot }: BindOptions): BindingSubject {
  const given: readonly BindingSubject[] = [
    ...(user === undefined ? [] : [{ kind: "user", name: user } as const]),
    ...(group === undefined ? [] : [{ kind: "group", name: group } as const]),
    ...(robot === undefined ? [] : [{ kind: "robot", name: robot } as const]),
  ];
  const [subject] = given;
  if (!subject || given.length > 1) throw usage("Say who gets the role.", "One of --user, --group and --robot.");
  return subject;
}

/** Nothing is everywhere by accident. */
function clustersOf({ cluster, clusterSelector: selector, allClusters }: BindOptions): ClusterChoice {
  const given: readonly ClusterChoice[] = [
    ...(cluster === undefined ? [] : [{ names: cluster }]),
    ...(selector === undefined ? [] : [{ selector: { matchLabels: selector } }]),
    ...(allClusters === true ? [{ all: true } as const] : []),
  ];
  const [clusters] = given;
  if (!clusters || given.length > 1) {
    throw usage(
      "Say in which clusters.",
      "One of --cluster (repeated for more), --cluster-selector and --all-clusters.",
    );
  }
  return clusters;
}

function formatClusters(clusters: ClusterChoice): string {
  if ("names" in clusters) return clusters.names.join(", ");
  return "selector" in clusters ? formatLabels(clusters.selector.matchLabels) : "all clusters";
}

async function unbind(context: CommandContext, id: string, isYes: boolean | undefined): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const client = await hub();
  await confirm(terminal, { isYes, action: `remove binding '${id}'`, question: `Remove binding '${id}'?` });
  await client.removeBinding(id, { signal });
  output.answer({ id, removed: true }, () => `Binding '${id}' is removed.\n`);
}
