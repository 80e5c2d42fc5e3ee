import type { AccessBinding, BindingSubject } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { showDifference } from "../../difference/index.ts";
import { cliErrors, usage } from "../../errors.ts";
import { formatSpan, parseSpan } from "../../output/index.ts";
import { confirm } from "../confirm.ts";
import { addClusterOptions, type ClusterOptions, clustersOf, formatClusters } from "./cluster-options.ts";
import { formatSubject } from "./subject.ts";

interface BindOptions extends ClusterOptions {
  readonly user?: string;
  readonly group?: string;
  readonly robot?: string;
  readonly record?: boolean;
  readonly for?: number;
  readonly reason?: string;
  readonly dryRun?: boolean;
}

export function addBindingCommands(access: Command, open: OpenContext): void {
  const binding = access.command("binding").description("Manage bindings: who has which role, and where");
  binding
    .command("list")
    .prints("binding")
    .formerly("access bindings")
    .description("List bindings: who has which role, and where")
    .examples("fairlead access binding list")
    .action((_options: object, command: Command) => listBindings(open(command)));
  const creating = binding
    .command("create")
    .formerly("access bind")
    .description("Give a role to a user, a group or a robot")
    .examples(
      "fairlead access binding create viewer --user alice@example.com --cluster east",
      "fairlead access binding create operator --group platform --cluster-selector env=prod --record",
      'fairlead access binding create operator --user bob@example.com --cluster east --for 4h --reason "on call"',
    )
    .argument("<role>", "Name of the role")
    .option("--user <user>", "User, as the identity provider names them")
    .option("--group <group>", "Group of the identity provider")
    .option("--robot <robot>", "Name of the robot");
  addClusterOptions(creating)
    .formerOption("--selector <key=value>", "--cluster-selector")
    .option("--all-clusters", "All clusters, and the hub itself")
    .option("--record", "Record every exec and attach session under this binding")
    .option(
      "--for <time>",
      "Time after which the binding ends by itself, for example 4h (default: it doesn't end)",
      parseSpan,
    )
    .option("--reason <text>", "Reason for the binding, for people")
    .option("--dry-run", "Print the binding without creating it, and exit with 1")
    .action((role: string, options: BindOptions, command: Command) => bind(open(command), role, options));
  binding
    .command("delete")
    .formerly("access unbind")
    .description("Delete a binding; streams that it allowed end at once")
    .examples("fairlead access binding delete bnd_4f2a…")
    .argument("<binding>", "ID of the binding, as 'binding list' shows it")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((id: string, options: { readonly yes?: boolean }, command: Command) =>
      unbind(open(command), id, options.yes),
    );
}

async function listBindings({ hub, output, signal, terminal }: CommandContext): Promise<void> {
  const list = await (await hub()).listBindings({ signal });
  const rows = list.items.map((binding) => [
    output.safe(binding.id),
    output.safe(formatSubject(binding.subject)),
    output.safe(binding.role),
    output.safe(formatClusters(binding.clusters)),
    binding.record === true ? "yes" : "no",
    binding.endsAt === undefined ? "never" : `in ${formatSpan(Date.parse(binding.endsAt) - terminal.now())}`,
    output.safe(binding.reason),
  ]);
  output.answer(list, () => output.table(["BINDING", "WHO", "ROLE", "CLUSTERS", "RECORDED", "ENDS", "REASON"], rows));
}

async function bind(context: CommandContext, role: string, options: BindOptions): Promise<void> {
  const { hub, output, signal } = context;
  const [subject, clusters] = [subjectOf(options), clustersOf(options)];
  const { record, for: ttlMs, reason } = options;
  const request = { subject, role, clusters, record, ttlMs, reason };
  const client = await hub();
  if (options.dryRun) {
    const { items } = await client.listRoles({ signal });
    if (!items.some((item) => item.name === role)) throw cliErrors.CLI_ROLE_UNKNOWN({ name: role });
    return showDifference(context, { what: "binding", before: undefined, after: request, source: "flags" });
  }
  const binding = await client.createBinding(request, { signal });
  output.answer(binding, () => describeBound(output.safe, binding));
  for (const warning of binding.warnings ?? []) output.remark(`Warning: ${output.safe(warning)}`);
}

function describeBound(safe: (text: string) => string, binding: AccessBinding): string {
  const { subject, role, clusters, id, endsAt } = binding;
  const where = formatClusters(clusters);
  const until = endsAt === undefined ? "" : ` until ${endsAt}`;
  return `${safe(formatSubject(subject))} is ${safe(role)} in ${safe(where)}${until} (binding ${safe(id)}).\n`;
}

function subjectOf({ user, group, robot }: BindOptions): BindingSubject {
  const given: readonly BindingSubject[] = [
    ...(user === undefined ? [] : [{ kind: "user", name: user } as const]),
    ...(group === undefined ? [] : [{ kind: "group", name: group } as const]),
    ...(robot === undefined ? [] : [{ kind: "robot", name: robot } as const]),
  ];
  const [subject] = given;
  if (!subject || given.length > 1)
    throw usage("A role binding needs exactly one subject.", "Use one of --user, --group and --robot.");
  return subject;
}

async function unbind(context: CommandContext, id: string, isYes: boolean | undefined): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const client = await hub();
  await confirm(terminal, { isYes, action: `remove binding '${id}'`, question: `Remove binding '${id}'?` });
  await client.removeBinding(id, { signal });
  output.answer({ id, removed: true }, () => `Binding '${id}' is removed.\n`);
}
