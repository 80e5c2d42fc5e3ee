import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { HubClient } from "@fairlead/contract";
import { isDnsLabel } from "@fairlead/kernel";
import { Option } from "commander";
import { parse } from "yaml";
import type { Command } from "../command.ts";
import type { NamedHubContext } from "../config/index.ts";
import { connectHub } from "../connection/index.ts";
import type { CommandContext, OpenContext } from "../context.ts";
import { usage } from "../errors.ts";
import {
  type Credential,
  createEntries,
  type KubeconfigEntries,
  mergeIntoFile,
  mergeKubeconfig,
  refreshFile,
  replaceFile,
} from "../kubeconfig/index.ts";
import { readToken } from "../login/index.ts";

interface KubeconfigOptions {
  readonly all?: boolean;
  readonly output?: string;
  readonly merge?: string | true;
  readonly contextPrefix: string;
  readonly staticToken?: string;
  readonly hostPerCluster?: boolean;
  readonly refresh?: string | true;
}

export function addKubeconfig(program: Command, open: OpenContext): void {
  program
    .command("kubeconfig")
    .description("Create kubectl contexts that reach clusters through the hub")
    .examples("fairlead kubeconfig --all --merge", "fairlead kubeconfig east --output ./kubeconfig")
    .argument("[names...]", "Names of the clusters")
    .option("--all", "All clusters that aren't revoked")
    .addOption(
      new Option(
        "-o, --output <file>",
        "File to write with these contexts alone; a file with other contents isn't overwritten",
      ).conflicts("merge"),
    )
    .option(
      "--merge [file]",
      "Add the contexts to this file (default: the one that kubectl uses), and keep its current context",
    )
    .addOption(
      new Option("--refresh [file]", "Update the hub's CA in contexts that this command created").conflicts([
        "all",
        "output",
        "merge",
        "staticToken",
        "hostPerCluster",
      ]),
    )
    .option("--context-prefix <text>", "Prefix of the names of contexts; '' for none", "fairlead-")
    .option(
      "--static-token <file>",
      "File with a robot's token to write into the contexts, for clients that can't run a plugin; - for standard input",
    )
    .option(
      "--host-per-cluster",
      "Use a host name for each cluster, for clients that drop the path of a server's address; the hub must have --cluster-domain",
    )
    .action((names: string[], options: KubeconfigOptions, command: Command) =>
      makeKubeconfig(open(command), names, options),
    );
}

async function makeKubeconfig(context: CommandContext, names: string[], options: KubeconfigOptions): Promise<void> {
  checkUsage(names, options);
  const { hub, output, signal, terminal } = context;
  if (options.refresh !== undefined) return await refresh(context, options.refresh);
  const clusters = await chooseClusters(await hub(), names, options, signal);
  // By now it knows the hub's CAs of today.
  const hubContext = await context.hubContext();
  const credential = await chooseCredential(context, hubContext, options.staticToken);
  const clusterDomain = options.hostPerCluster ? await findClusterDomain(await hub(), signal) : undefined;
  const entries = clusters.map((cluster) =>
    createEntries({ hubContext, cluster, prefix: options.contextPrefix, credential, clusterDomain }),
  );

  const file = fileOf(options, terminal.environment.kubeconfigFile);
  if (file === undefined) {
    const text = mergeKubeconfig({ file: "standard output", text: "", entries });
    return output.answer(parse(text), () => text);
  }
  if (options.merge === undefined) await replaceFile(file, entries);
  else await mergeIntoFile(file, entries);
  output.answer({ file, contexts: entries.map(({ name }) => name) }, () => describeWritten(context, file, entries));
}

async function findClusterDomain(client: HubClient, signal: AbortSignal): Promise<string> {
  const { clusterDomain } = await client.version({ signal });
  if (clusterDomain !== undefined) return clusterDomain;
  throw usage(
    "The hub has no host names for clusters.",
    "Start the hub with --cluster-domain and add *.DOMAIN to DNS, or remove --host-per-cluster.",
  );
}

/** Entries keep all but their CA. */
async function refresh(context: CommandContext, given: string | true): Promise<void> {
  const { hub, output, signal, terminal } = context;
  const file = given === true ? terminal.environment.kubeconfigFile : given;
  await (await hub()).version({ signal });
  const hubContext = await context.hubContext();
  const names = await refreshFile(file, hubContext);
  output.answer({ file, contexts: names }, () =>
    names.length === 0
      ? `No contexts of ${hubContext.hub} in ${file}: it is as it was.\n`
      : `The hub's CA of today is in ${file}, for:\n\n${names.map((name) => `  ${output.safe(name)}\n`).join("")}`,
  );
}

function checkUsage(names: readonly string[], options: KubeconfigOptions): void {
  const { all = false, merge, refresh: refreshed } = options;
  if (refreshed !== undefined) {
    if (names.length === 0) return;
    throw usage(
      "--refresh and cluster names can't be combined.",
      "--refresh applies to all contexts of the hub in the file.",
    );
  }
  // `--merge east` took a cluster for its file.
  if (typeof merge === "string" && isDnsLabel(merge) && !existsSync(merge)) {
    throw usage(
      `The file '${merge}' to merge into doesn't exist.`,
      `To create a new file, write --merge=./${merge}. Name clusters before the option.`,
    );
  }
  if (all && names.length > 0) throw usage("--all and cluster names can't be combined.", "Choose one of them.");
  if (!all && names.length === 0) throw usage("No cluster is specified.", "Name clusters, or use --all.");
}

async function chooseCredential(
  { terminal, contextRef, signal, output }: CommandContext,
  hubContext: NamedHubContext,
  staticToken: string | undefined,
): Promise<Credential> {
  if (staticToken !== undefined) {
    const token = await readToken(staticToken, terminal);
    // A token that isn't one is noticed here rather than by kubectl.
    const environment = { ...terminal.environment, token };
    const who = await connectHub(hubContext, { ...terminal, environment }, contextRef.file).whoami({ signal });
    if (who.sessionId !== undefined) {
      throw usage(
        "The token belongs to a session and expires within minutes.",
        "Create a robot's token with 'fairlead access robot token create'.",
      );
    }
    if (who.kind === "admin-token") {
      output.remark("This is the admin's token: anybody who reads the file may do everything. A robot's would do.");
    }
    return { kind: "token", token };
  }
  const { program, defaultConfigFile } = terminal.environment;
  const file = resolve(contextRef.file);
  return { kind: "plugin", program: program.command(), configFile: file === defaultConfigFile ? undefined : file };
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
