import type { ClusterType } from "@fairlead/doctor";
import { Option } from "commander";
import type { Command } from "../command.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { cliErrors, usage } from "../errors.ts";
import { ask, canAsk } from "../terminal.ts";
import { collectLabel } from "./collect.ts";
import { refuseUsed, writeNewFolder } from "./scaffold-folder.ts";

interface ScaffoldOptions {
  readonly type: ClusterType;
  readonly name: string;
  readonly dir?: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly dryRun?: boolean;
}

const types = ["eks", "gke", "aks", "openshift", "oke", "generic"] as const satisfies readonly ClusterType[];

/** Needs no hub. */
export function addClusterScaffold(cluster: Command, open: OpenContext): void {
  cluster
    .command("scaffold")
    .description("Write OpenTofu code for a new cluster that meets a fitness profile")
    .examples("fairlead cluster scaffold --type eks --name east --set region=eu-north-1")
    .addOption(new Option("--type <type>", "Type of the cluster").choices(types).makeOptionMandatory())
    .requiredOption("--name <name>", "Name of the cluster: 2 to 30 lower-case letters, digits and '-'")
    .option("--dir <folder>", "Folder to write to; it must be empty or missing (default: the cluster's name)")
    .option("--set <key=value>", "Input of the code, for example region=eu-north-1; can be repeated", collectLabel)
    .option("--dry-run", "Print the files without writing them")
    .option("--profile <profile>", "Fitness profile: fairlead, truefoundry, or a YAML file (default: fairlead)")
    .action((options: ScaffoldOptions, command: Command) => scaffold(open(command), command, options));
}

async function scaffold(context: CommandContext, command: Command, options: ScaffoldOptions): Promise<void> {
  const { type, name, dir: folder = name, set = {}, dryRun = false } = options;
  refuseName(name);
  if (!dryRun) await refuseUsed(folder);
  // The catalogue is loaded for this command and the doctor alone.
  const [{ inputsOf, renderFiles }, { readProfile }] = await Promise.all([
    import("../scaffold/index.ts"),
    import("../doctor/index.ts"),
  ]);
  const profile = await readProfile(command.optsWithGlobals<{ readonly profile?: string }>().profile);
  const answers = await completeAnswers(context, inputsOf(type), set);
  const files = renderFiles({ type, name, profile, answers });
  if (!dryRun) await writeNewFolder(folder, files);
  const text = dryRun ? printFiles(files) : describe(context, folder, files);
  context.output.answer(dryRun ? { folder, files } : { folder, files: Object.keys(files) }, () => text);
}

function refuseName(name: string): void {
  if (/^[a-z][a-z0-9-]{0,28}[a-z0-9]$/.test(name)) return;
  throw usage(
    `'${name}' isn't a valid cluster name.`,
    "Use 2 to 30 lowercase letters, digits and '-', starting with a letter.",
  );
}

interface Asked {
  readonly name: string;
  readonly description: string;
  readonly fallback?: string;
}

async function completeAnswers(
  { terminal }: CommandContext,
  inputs: readonly Asked[],
  given: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const known = inputs.map(({ name }) => name);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw usage(`This type has no input '${unknown}'.`, `Inputs are ${known.join(", ")}.`);
  }
  const missing = inputs.filter(({ name, fallback }) => fallback === undefined && !given[name]);
  if (missing.length > 0 && !canAsk(terminal)) {
    throw cliErrors.CLI_INPUT_MISSING({ inputs: missing.map(({ name }) => name).join(", ") });
  }
  const answers = { ...given };
  for (const { name, description } of missing) {
    const answer = (await ask(terminal, `${description}\n${name}: `)).trim();
    if (answer === "") throw cliErrors.CLI_INPUT_MISSING({ inputs: name });
    answers[name] = answer;
  }
  return answers;
}

function printFiles(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .map(([name, text]) => `# ${name}\n\n${text}`)
    .join("\n");
}

function describe({ output }: CommandContext, folder: string, files: Readonly<Record<string, string>>): string {
  const list = Object.keys(files).map((file) => `  ${output.safe(`${folder}/${file}`)}\n`);
  return `Written:\n${list.join("")}\nIt was never applied to a real cloud. README.md there says what to do next: by hand, or as a stack (docs/commands-stacks.md).\n`;
}
