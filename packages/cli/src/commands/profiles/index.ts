// Profiles on the hub: what clusters are asked for to be fit.
import type { FitnessProfile, ProfileChoice } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { findOrNone, showDifference } from "../../difference/index.ts";
import { readText } from "../../files/index.ts";
import { formatSpan } from "../../output/index.ts";
import { readAll } from "../../terminal.ts";
import { confirm } from "../confirm.ts";

export function addProfileCommands(program: Command, open: OpenContext): void {
  const profile = program.command("profile").description("Manage fitness profiles");
  profile
    .command("list")
    .prints("profile")
    .description("List profiles and the clusters that use them")
    .examples("fairlead profile list")
    .action((_options: object, command: Command) => list(open(command)));
  profile
    .command("get")
    .prints("profile")
    .formerly("profile show")
    .description("Print a profile as it was written")
    .examples("fairlead profile get ours")
    .argument("<profile>", "Name of the profile")
    .action((name: string, _options: object, command: Command) => show(open(command), name));
  profile
    .command("apply")
    .description("Create or replace a profile; clusters that use it are examined again at once")
    .examples("fairlead profile apply -f ours.yaml")
    .requiredOption("-f, --file <file>", "File with the profile in YAML or JSON; - for standard input")
    .option("--dry-run", "Print what would change without changing it, and exit with 1 if anything would")
    .action((options: ApplyOptions, command: Command) => apply(open(command), options));
  profile
    .command("delete")
    .description("Delete a profile that no cluster uses")
    .examples("fairlead profile delete ours")
    .argument("<profile>", "Name of the profile")
    .option("-y, --yes", "Don't ask for confirmation")
    .action((name: string, { yes }: { readonly yes?: boolean }, command: Command) => remove(open(command), name, yes));
}

async function list(context: CommandContext): Promise<void> {
  const { output, signal, terminal } = context;
  const hub = await context.hub();
  const { items } = await hub.listProfiles({ signal });
  const { items: choices } = await hub.listProfileChoices({ signal });
  const clusters = Map.groupBy(choices, (choice) => choice.profile);
  const toRow = ({ name, changedAt, changedBy }: FitnessProfile): string[] => [
    output.safe(name),
    output.safe(nameSome(clusters.get(name) ?? [])),
    changedAt === undefined ? "-" : formatSpan(terminal.now() - Date.parse(changedAt)),
    output.safe(changedBy),
  ];
  output.answer({ items, choices }, () => output.table(["NAME", "CHOSEN FOR", "AGE", "BY"], items.map(toRow)));
}

async function show(context: CommandContext, name: string): Promise<void> {
  const { output, signal } = context;
  const profile = await (await context.hub()).getProfile(name, { signal });
  output.answer(profile, () => profile.content.trimEnd().split("\n").map(toSafeLine(output)).join(""));
}

interface ApplyOptions {
  readonly file: string;
  readonly dryRun?: boolean;
}

/** Mistakes are found here, where the file has a name, and by the hub once more. */
async function apply(context: CommandContext, { file, dryRun }: ApplyOptions): Promise<void> {
  const { output, signal, terminal } = context;
  const content = file === "-" ? await readAll(terminal.stdin) : await readText(file);
  const { parseProfile } = await import("@fairlead/doctor");
  const { name } = parseProfile(content, file === "-" ? "stdin" : file);
  const hub = await context.hub();
  if (dryRun) {
    const current = await findOrNone(() => hub.getProfile(name, { signal }));
    return showDifference(context, { what: `profile/${name}`, before: current?.content, after: content });
  }
  const profile = await hub.putProfile(name, { content }, { signal });
  const { items } = await hub.listProfileChoices({ signal });
  const clusters = items.filter((choice) => choice.profile === name);
  output.answer(profile, () =>
    clusters.length === 0
      ? `Profile '${name}' is there. 'fairlead cluster set CLUSTER --fitness-profile ${name}' chooses it.\n`
      : `Profile '${name}' is there. Clusters are examined by it: ${output.safe(nameSome(clusters))}.\n`,
  );
}

async function remove(context: CommandContext, name: string, isYes: boolean | undefined): Promise<void> {
  const { output, terminal, signal } = context;
  const hub = await context.hub();
  await confirm(terminal, { isYes, action: `remove profile '${name}'`, question: `Remove profile '${name}'?` });
  await hub.removeProfile(name, { signal });
  output.answer({ name, removed: true }, () => `Profile '${output.safe(name)}' is removed.\n`);
}

function toSafeLine(output: CommandContext["output"]): (line: string) => string {
  return (line) => `${line === "" ? "" : output.safe(line)}\n`;
}

function nameSome(choices: readonly ProfileChoice[]): string {
  const more = choices.length - mostNames;
  const names = choices.slice(0, mostNames).map(({ cluster }) => cluster);
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const mostNames = 5;
