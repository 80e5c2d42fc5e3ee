import type { GitopsMode } from "@fairlead/contract";
import { type Command, InvalidArgumentError } from "commander";
import type { CommandContext, OpenContext } from "../../../context.ts";
import { usage } from "../../../errors.ts";
import { readText } from "../../../files/index.ts";
import { readAll } from "../../../terminal.ts";
import { confirm } from "../../confirm.ts";
import { describeMove } from "./move-text.ts";
import { type ClusterMove, type Move, planMove, type ToldModes } from "./plan-move.ts";
import { readInstallation } from "./read-installation.ts";

interface ImportOptions {
  readonly file: readonly string[];
  readonly mode?: ToldModes;
  readonly apply?: boolean;
  readonly yes?: boolean;
}

export function addImportArgocdAgent(gitops: Command, open: OpenContext): void {
  gitops
    .command("import-argocd-agent")
    .description("read an installation of argocd-agent, and show or set what its clusters need here")
    .requiredOption("-f, --file <file...>", "what kubectl printed of the hub's cluster; - for standard input")
    .option("--mode <cluster=mode>", "managed or autonomous, where the files don't tell; may be repeated", parseMode)
    .option("--apply", "set the modes of clusters that can be moved; without it nothing is changed")
    .option("-y, --yes", "don't ask")
    .action((options: ImportOptions, command: Command) => importInstallation(open(command), options));
}

async function importInstallation(context: CommandContext, options: ImportOptions): Promise<void> {
  const { output, terminal } = context;
  const texts = [];
  for (const file of options.file)
    texts.push({ file, text: file === "-" ? await readAll(terminal.stdin) : await readText(file) });
  const move = planMove(readInstallation(texts), options.mode ?? new Map());
  if (options.apply === true) await applyMove(context, move, options.yes);
  else output.answer(move, () => describeMove(context, move));
}

/** All of them are known to the hub before the first is set. */
async function applyMove(context: CommandContext, move: Move, isYes: boolean | undefined): Promise<void> {
  const { hub: connect, output, terminal, signal } = context;
  const movable = move.clusters.filter(isMovable);
  if (movable.length === 0) throw usage("No cluster can be moved as it is.", "Without --apply each is shown with why.");
  const hub = await connect();
  for (const { cluster } of movable) await hub.getGitopsStatus(cluster, { signal });
  output.remark(describeMove(context, move));
  await confirm(terminal, {
    ...{ isYes, action: `set the modes of ${movable.length} clusters` },
    question: `Are argocd-agent's agents of these ${movable.length} clusters stopped, and their Secrets removed on the hub?`,
  });
  const set: string[] = [];
  for (const { cluster, settings } of movable) {
    await hub.putGitopsSettings(cluster, settings, { signal });
    set.push(cluster);
  }
  output.answer({ set }, () => set.map((cluster) => `${output.safe(cluster)} is set.\n`).join(""));
}

function isMovable(cluster: ClusterMove): cluster is MovableCluster {
  return cluster.settings !== undefined;
}

interface MovableCluster extends ClusterMove {
  readonly settings: NonNullable<ClusterMove["settings"]>;
}

function parseMode(text: string, before: ToldModes = new Map()): ToldModes {
  const [, cluster, mode] = /^([^=]+)=(managed|autonomous)$/.exec(text) ?? [];
  if (cluster === undefined) throw new InvalidArgumentError("It has to be CLUSTER=managed or CLUSTER=autonomous.");
  return new Map([...before, [cluster, mode as Exclude<GitopsMode, "off">]]);
}
