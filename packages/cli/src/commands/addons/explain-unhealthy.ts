// Explains why an addon that Argo CD keeps didn't get healthy: what Argo CD says, and which workload isn't ready for
// which reason. With Helm the run itself has said it already.
import type { ClusterObject, InstallWay } from "@fairlead/doctor";
import { type FairleadError, Fields } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { type ClusterView, openClusterView } from "./cluster-view.ts";
import { describeSick } from "./sick-workload.ts";

export interface AwaitedAddon {
  readonly addon: string;
  readonly way: InstallWay;
  /** Left out where Argo CD doesn't keep it. */
  readonly place?: { readonly namespace: string; readonly name: string };
}

/** The first of these clusters' addons that isn't healthy; undefined when none of them says why. */
export async function explainUnhealthy(
  context: CommandContext,
  clusters: readonly { readonly cluster: string; readonly steps: readonly AwaitedAddon[] }[],
): Promise<FairleadError | undefined> {
  for (const { cluster, steps } of clusters) {
    const kept = steps.filter(({ way }) => way === "argocd");
    if (kept.length === 0) continue;
    await using view = await openClusterView(context, cluster);
    for (const { addon, place } of kept) {
      const application = place && (await view.getApplication(place));
      const trouble = application && findTrouble(application);
      if (!application || trouble === undefined) continue;
      const why = [trouble, ...(await findSickWorkloads(view, application))].join("; ");
      return cliErrors.CLI_ADDON_UNHEALTHY({ addon, cluster, why });
    }
  }
  return undefined;
}

/** Undefined for an application that is healthy. */
export function findTrouble(application: unknown): string | undefined {
  const status = new Fields(application).at("status");
  const condition = status
    .at("conditions")
    .list()
    .find((each) => /Error$/.test(each.at("type").text() ?? ""));
  if (condition) return `Argo CD says ${condition.at("type").text()}: ${condition.at("message").text() ?? ""}`;
  const operation = status.at("operationState");
  const phase = operation.at("phase").text() ?? "";
  if (/^(Failed|Error)$/.test(phase)) return `its sync failed: ${operation.at("message").text() ?? phase}`;
  const health = status.at("health", "status").text();
  if (health === "Healthy") return undefined;
  return health === undefined ? "Argo CD hasn't looked at it yet" : `Argo CD says that it is ${health}`;
}

async function findSickWorkloads(view: ClusterView, application: ClusterObject): Promise<readonly string[]> {
  const found: string[] = [];
  for (const resource of new Fields(application).at("status", "resources").list()) {
    const [group, version, kind, namespace, name] = ["group", "version", "kind", "namespace", "name"].map((field) =>
      resource.at(field).text(),
    );
    if (group !== "apps" || kind === undefined || name === undefined || namespace === undefined) continue;
    const workload = { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace } };
    const look = await view.look(workload, namespace);
    if (look.is !== "there") continue;
    const why = describeSick(look.object, await view.listPods(look.object));
    if (why !== undefined) found.push(`${view.nameOf(workload, namespace)}: ${why}`);
  }
  return found.slice(0, mostNamed);
}

const mostNamed = 3;
