// `cluster attach`: everything that brings an existing cluster to the hub, from the machine of someone who may.
import type { Role } from "@fairlead/contract";
import { chooseKubeContext } from "../../choose-context.ts";
import type { Command } from "../../command.ts";
import type { CommandContext, OpenContext } from "../../context.ts";
import { usage } from "../../errors.ts";
import { installArguments, installChart, joinSecret, renderChart } from "./chart.ts";
import { attachErrors } from "./errors.ts";
import { checkAddress, checkSame, findCluster, makeToken } from "./hub-side.ts";
import {
  type AttachOptions,
  addAttachOptions,
  checkRoles,
  choosesRights,
  namesHubUrl,
  toHelmValues,
} from "./options.ts";
import { placeToken } from "./place-token.ts";
import { checkRights } from "./rights.ts";
import { checkPrograms, openTarget, readCluster, type Target } from "./target.ts";
import { waitUntilLive } from "./wait-live.ts";

export function addClusterAttach(cluster: Command, open: OpenContext): void {
  const attach = cluster
    .command("attach")
    .description("Connect an existing cluster: check it, register it, install the agent, and wait until it is live")
    .examples(
      "fairlead cluster attach east --kube-context kind-east --role proxy --role observe",
      "fairlead cluster attach east --kube-context kind-east --dry-run",
    )
    .argument("<name>", "Name of a new cluster, or of a registered one");
  addAttachOptions(attach).action((name: string, options: Omit<AttachOptions, "context">, command: Command) => {
    const context = chooseKubeContext(command);
    if (context === undefined)
      throw usage("The cluster isn't specified.", "Name its kubectl context with --kube-context.");
    return attachCluster(open(command), name, { ...options, context });
  });
}

async function attachCluster(context: CommandContext, name: string, options: AttachOptions): Promise<void> {
  const { output, signal } = context;
  const target = openTarget(options, signal);
  const plan = await check(context, { name, options, target });
  if (options.dryRun) return sayPlan(context, plan, options);
  try {
    await carryOut(context, plan, options);
  } catch (thrown) {
    output.remark(`✗ ${plan.step}. Everything made so far stays; the same command goes on from here. To undo it:`);
    output.remark(`  helm uninstall fairlead-agent --namespace ${target.namespace} --kube-context ${target.context}`);
    output.remark(`  fairlead cluster delete ${name}`);
    throw thrown;
  }
  const { roles } = plan;
  output.answer(
    { cluster: name, context: target.context, namespace: target.namespace, roles },
    () => `Cluster '${output.safe(name)}' is attached: ${roles.join(" and ")}.\n`,
  );
  if (plan.isKnown || !roles.includes("proxy") || choosesRights(options)) return;
  output.remark(
    "The hub's people can read this cluster with kubectl. To let its admins change it, run this again with",
  );
  output.remark("  --set proxy.defaultGroups.admins.clusterRole=cluster-admin");
}

interface Plan {
  readonly name: string;
  readonly target: Target;
  readonly roles: readonly Role[];
  readonly isKnown: boolean;
  /** The one that is under way. */
  step: string;
}

/** Changes nothing, neither at the hub nor in the cluster. */
async function check(
  context: CommandContext,
  { name, options, target }: { readonly name: string; readonly options: AttachOptions; readonly target: Target },
): Promise<Plan> {
  const { hub, output, signal } = context;
  const done = (text: string): void => output.remark(`✓ ${output.safe(text)}`);
  const client = await hub();
  const { name: who } = await client.whoami({ signal });
  const known = await findCluster(client, name, signal);
  const roles = options.role ?? known?.roles ?? ["proxy"];
  checkRoles(roles);
  done(`Hub: signed in as ${who}; it ${known ? `knows '${name}' (${known.state})` : `doesn't know '${name}' yet`}`);
  const programs = await checkPrograms(target);
  done(`Programs: kubectl ${programs.kubectl}, helm ${programs.helm}`);
  const { version, kubeSystemUid } = await readCluster(target);
  checkSame(known, { context: target.context, found: kubeSystemUid });
  done(`Cluster: Kubernetes ${version} answers at the context '${target.context}'`);
  // Only where the hub gives a token does it say the address; for what the chart makes any will do.
  const values = toHelmValues(options, { roles, hubAgentUrl: "https://hub.invalid:8444", secret: joinSecret });
  const objects = await renderChart(target, { chart: options.chart, values, version });
  done(`Chart: ${options.chart} has ${objects.length} objects for ${roles.join(" and ")}`);
  const count = await checkRights(target, objects);
  done(`Rights: you may do all ${count} things that it needs`);
  return { name, target, roles, isKnown: known !== undefined, step: "" };
}

async function carryOut(context: CommandContext, plan: Plan, options: AttachOptions): Promise<void> {
  const { hub, output, signal } = context;
  const { name, target, roles, isKnown } = plan;
  const begin = (step: string): void => {
    plan.step = step;
  };
  const done = (text: string): void => output.remark(`✓ ${output.safe(text)}`);

  begin("Token");
  const join = await makeToken(await hub(), { name, isKnown, roles, labels: options.label, signal });
  const { token } = join;
  if (token === undefined) throw attachErrors.CLI_HUB_IN_MESH();
  done(`Token: ${isKnown ? "a new one" : "the cluster is registered and has one"}, for ${roles.join(" and ")}`);
  begin("Address");
  if (!namesHubUrl(options)) {
    await checkAddress(join.hubAgentUrl);
    done(`Address: agents dial ${join.hubAgentUrl}`);
  }
  begin("Secret");
  await placeToken(target, token);
  done(`Secret: the token is in ${target.namespace}/${joinSecret}`);
  begin("Install");
  const values = toHelmValues(options, { roles, hubAgentUrl: join.hubAgentUrl, secret: joinSecret });
  await installChart(target, { chart: options.chart, values });
  done("Install: Helm has installed the agent; waiting for it");
  begin("Live");
  await waitUntilLive(context, { name, roles, target, timeoutMs: options.timeout });
  done(`Live: the hub has its links${roles.includes("observe") ? " and all its objects" : ""}`);
}

function sayPlan({ output }: CommandContext, plan: Plan, options: AttachOptions): void {
  const { name, target, roles, isKnown } = plan;
  const { chart, namespace } = options;
  const values = toHelmValues(options, { roles, hubAgentUrl: "ADDRESS-FROM-THE-HUB", secret: joinSecret });
  const steps = [
    isKnown ? `make a new join token for '${name}'` : `register '${name}' for ${roles.join(" and ")}`,
    `put the token into the Secret ${joinSecret} in the namespace ${namespace}`,
    `run helm ${installArguments({ chart, namespace, values }).join(" ")} --kube-context ${target.context}`,
    "wait until the hub sees it live",
  ];
  output.answer({ cluster: name, dryRun: true, roles, steps }, () =>
    steps.map((step) => `Would ${output.safe(step)}.\n`).join(""),
  );
}
