import { existsSync } from "node:fs";
import type { HubClient } from "@fairlead/contract";
import { isDnsLabel } from "@fairlead/kernel";
import { type Command, Option } from "commander";
import { parse } from "yaml";
import type { CommandContext, OpenContext } from "../context.ts";
import { usage } from "../errors.ts";
import {
  createEntries,
  type KubeconfigEntries,
  mergeIntoFile,
  mergeKubeconfig,
  replaceFile,
} from "../kubeconfig/index.ts";

interface KubeconfigOptions {
  readonly all?: boolean;
  readonly output?: string;
  readonly merge?: string | true;
  readonly contextPrefix: string;
}

export function addKubeconfig(program: Command, open: OpenContext): void {
  program
    .command("kubeconfig")
    .description("make kubectl contexts that reach clusters through the hub")
    .argument("[names...]", "the clusters")
    .option("--all", "all clusters that aren't revoked")
    .addOption(new Option("-o, --output <file>", "write a file of these contexts alone").conflicts("merge"))
    .option("--merge [file]", "add the contexts to a file (default: the one that kubectl uses)")
    .option("--context-prefix <text>", "what context names begin with", "fairlead-")
    .action((names: string[], options: KubeconfigOptions, command: Command) =>
      makeKubeconfig(open(command), names, options),
    );
}

async function makeKubeconfig(context: CommandContext, names: string[], options: KubeconfigOptions): Promise<void> {
  checkUsage(names, options);
  const { hub, output, signal, terminal } = context;
  const profile = await context.profile();
  const clusters = await chooseClusters(await hub(), names, options, signal);
  const entries = clusters.map((cluster) => createEntries({ profile, cluster, prefix: options.contextPrefix }));

  const file = fileOf(options, terminal.environment.kubeconfigFile);
  if (file === undefined) {
    const text = mergeKubeconfig({ file: "standard output", text: "", entries });
    return output.answer(parse(text), () => text);
  }
  if (options.merge === undefined) await replaceFile(file, entries);
  else await mergeIntoFile(file, entries);
  output.answer({ file, contexts: entries.map(({ name }) => name) }, () => describeWritten(context, file, entries));
}

function checkUsage(names: readonly string[], options: KubeconfigOptions): void {
  const { all = false, merge } = options;
  // `--merge east` took a cluster for its file.
  if (typeof merge === "string" && isDnsLabel(merge) && !existsSync(merge)) {
    throw usage(
      `There is no file '${merge}' to merge into.`,
      `For a new file write --merge=./${merge}; name clusters first.`,
    );
  }
  if (all && names.length > 0) throw usage("Both clusters and --all were given.", "Choose one of them.");
  if (!all && names.length === 0) throw usage("No cluster was named.", "Name clusters, or take all with --all.");
}

async function chooseClusters(
  client: HubClient,
  names: readonly string[],
  options: KubeconfigOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const { items } = await client.listClusters({ signal });
  if (options.all) return items.filter(({ state }) => state !== "revoked").map(({ name }) => name);
  const known = new Set(items.map(({ name }) => name));
  for (const name of names) {
    // The hub itself says that it doesn't know one.
    if (!known.has(name)) await client.getCluster(name, { signal });
  }
  return [...new Set(names)];
}

function fileOf(options: KubeconfigOptions, defaultFile: string): string | undefined {
  if (options.merge !== undefined) return options.merge === true ? defaultFile : options.merge;
  return options.output === "-" ? undefined : options.output;
}

function describeWritten(
  { output, terminal }: CommandContext,
  file: string,
  entries: readonly KubeconfigEntries[],
): string {
  const [first] = entries;
  if (!first) return `No clusters, no contexts: ${file} is as it was.\n`;
  const flag = file === terminal.environment.kubeconfigFile ? "" : ` --kubeconfig ${file}`;
  const names = entries.map(({ name }) => `  ${output.safe(name)}\n`).join("");
  return `Contexts in ${file}:\n\n${names}\nTry: kubectl${flag} --context ${output.safe(first.name)} get nodes\n`;
}
