// Why an addon that Argo CD keeps didn't get healthy, as Argo CD says it. What Helm waits for its run has said already.
import type { InstallWay } from "@fairlead/doctor";
import { type FairleadError, Fields } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { cliErrors } from "../../errors.ts";
import { openClusterView } from "./cluster-view.ts";

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
      const application = place && (await view.getApplication(place).catch(() => undefined));
      const why = application && findTrouble(application);
      if (why !== undefined) return cliErrors.CLI_ADDON_UNHEALTHY({ addon, cluster, why });
    }
  }
  return undefined;
}

/** Undefined for an application that is synced and healthy. */
export function findTrouble(application: unknown): string | undefined {
  const status = new Fields(application).at("status");
  const condition = status
    .at("conditions")
    .list()
    .find((each) => /Error$/.test(each.at("type").text() ?? ""));
  if (condition) return `Argo CD says ${condition.at("type").text()}: ${condition.at("message").text() ?? ""}`;
  const operation = status.at("operationState");
  if (/^(Failed|Error)$/.test(operation.at("phase").text() ?? ""))
    return `its sync ${operation.at("phase").text()?.toLowerCase()}: ${operation.at("message").text() ?? ""}`;
  const sick = status
    .at("resources")
    .list()
    .filter((each) => !["Healthy", undefined].includes(each.at("health", "status").text()));
  if (sick.length > 0) return sick.map(describeResource).join("; ");
  const health = status.at("health", "status").text();
  return health === "Healthy" ? undefined : `it is ${health ?? "not looked at by Argo CD yet"}`;
}

function describeResource(resource: Fields): string {
  const [kind, namespace, name] = ["kind", "namespace", "name"].map((field) => resource.at(field).text());
  const health = resource.at("health");
  const message = health.at("message").text();
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name} is ${health.at("status").text()}${message ? `: ${message}` : ""}`;
}
