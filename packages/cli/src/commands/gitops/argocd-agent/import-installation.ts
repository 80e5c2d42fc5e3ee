import type { KubeClient } from "@fairlead/kube";
import { openKubeClient } from "../../../cluster-client/index.ts";
import type { CommandContext } from "../../../context.ts";
import { openAccess } from "../../../doctor/index.ts";
import { usage } from "../../../errors.ts";
import { readText } from "../../../files/index.ts";
import { readAll } from "../../../terminal.ts";
import { confirm } from "../../confirm.ts";
import { type AgentThere, findAgent } from "./find-agent.ts";
import { isNoted, moveBack } from "./move-back.ts";
import { isMovable, moveCluster } from "./move-cluster.ts";
import { describeMove } from "./move-text.ts";
import { type ClusterMove, type Move, planMove, type ToldModes } from "./plan-move.ts";
import { type Installation, readInstallation } from "./read-installation.ts";
import { readRunning } from "./read-running.ts";

export interface ImportOptions {
  readonly file?: readonly string[];
  readonly kubeconfig?: string;
  readonly context?: string | undefined;
  readonly namespace: string;
  readonly agentNamespace?: string;
  readonly cluster?: readonly string[];
  readonly mode?: ToldModes;
  readonly apply?: boolean;
  readonly back?: boolean;
  readonly yes?: boolean;
}

export async function importInstallation(context: CommandContext, options: ImportOptions): Promise<void> {
  const { output } = context;
  if (options.file !== undefined) {
    const move = choose(planMove(await readFiles(context, options.file), { modes: told(options) }), options);
    output.answer(move, () => describeMove(context, move));
    return;
  }
  await using client = await openClient(context, options);
  const move = await planRunning(context, client, options);
  if (options.apply === true) await apply(context, client, { move, options });
  else if (options.back === true) await goBack(context, client, { move, options });
  else output.answer(move, () => describeMove(context, move));
}

async function readFiles({ terminal }: CommandContext, files: readonly string[]): Promise<Installation> {
  const texts = [];
  for (const file of files)
    texts.push({ file, text: file === "-" ? await readAll(terminal.stdin) : await readText(file) });
  return readInstallation(texts);
}

async function openClient({ terminal }: CommandContext, options: ImportOptions): Promise<KubeClient> {
  const { kubeconfigFiles, variables } = terminal.environment;
  const { kubeconfig, context } = options;
  const access = await openAccess({ kubeconfig, context, kubeconfigFiles, variables });
  return openKubeClient({ access, trace: terminal.trace });
}

/** Looks into each cluster that is asked for, through the hub. */
async function planRunning(context: CommandContext, client: KubeClient, options: ImportOptions): Promise<Move> {
  const { signal } = context;
  const { namespace, agentNamespace } = options;
  const [hub, found] = await Promise.all([context.hub(), readRunning({ client, namespace, signal })]);
  const agents = new Map<string, AgentThere>();
  for (const { agent } of found.agents)
    if (isAsked(agent, options)) agents.set(agent, await findAgent(agent, { hub, agentNamespace, signal }));
  return choose(planMove(found, { modes: told(options), agents }), options);
}

interface Asked {
  readonly move: Move;
  readonly options: ImportOptions;
}

/** Plans every move and asks the person before it stops the first agent. */
async function apply(context: CommandContext, client: KubeClient, { move, options }: Asked): Promise<void> {
  const { output, terminal } = context;
  const movable = move.clusters.filter(isMovable).filter(({ state }) => state !== "moved");
  if (movable.length === 0) throw usage("No cluster can be moved.", "Run the command without --apply to see why.");
  output.remark(describeMove(context, move));
  const names = movable.map(({ cluster }) => output.safe(cluster)).join(", ");
  await confirm(terminal, {
    isYes: options.yes,
    action: `move ${movable.length} clusters`,
    question: `Stop argocd-agent's agents of ${names}, and exchange their applications here from then on?`,
  });
  const hub = await context.hub();
  const { namespace } = options;
  for (const one of movable) await moveCluster({ client, hub, cluster: one.cluster, namespace, context }, one);
  output.answer({ moved: movable.map(({ cluster }) => cluster) }, () => `Moved: ${names}.\n`);
}

async function goBack(context: CommandContext, client: KubeClient, { move, options }: Asked): Promise<void> {
  const { output, terminal } = context;
  const moved = move.clusters.filter(isNoted);
  if (moved.length === 0) throw usage("This command moved no cluster.", "See the guide for how to go back manually.");
  const names = moved.map(({ cluster }) => output.safe(cluster)).join(", ");
  await confirm(terminal, {
    isYes: options.yes,
    action: `give ${moved.length} clusters back`,
    question: `Give ${names} back to argocd-agent?`,
  });
  const hub = await context.hub();
  const { namespace } = options;
  for (const one of moved) await moveBack({ client, hub, cluster: one.cluster, namespace, context }, one);
  output.answer({ back: moved.map(({ cluster }) => cluster) }, () => `Given back: ${names}.\n`);
}

function choose(move: Move, options: ImportOptions): Move {
  const unknown = options.cluster?.find((name) => !move.clusters.some(({ cluster }) => cluster === name));
  if (unknown !== undefined) throw usage(`argocd-agent has no agent named '${unknown}'.`);
  return { ...move, clusters: move.clusters.filter(({ cluster }: ClusterMove) => isAsked(cluster, options)) };
}

function isAsked(cluster: string, { cluster: asked }: ImportOptions): boolean {
  return asked === undefined || asked.includes(cluster);
}

function told({ mode = new Map() }: ImportOptions): ToldModes {
  return mode;
}
