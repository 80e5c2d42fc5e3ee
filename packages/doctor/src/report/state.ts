import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import { type Installation, workloadsOf } from "../detect/index.ts";
import { formatRef, isPlanned } from "../snapshot/index.ts";
import type { Workload } from "../workloads/index.ts";
import type { AddonState, CheckReport } from "./report.ts";

interface StateFinding {
  readonly state: AddonState;
  readonly message: string;
  readonly isNotRunning?: true;
}

/** An addon that doesn't run is degraded, however it is set up, because nothing of it works. */
export function stateOf(options: {
  readonly addon: Pick<Addon, "title" | "signals">;
  readonly installation: Installation;
  readonly checks: readonly CheckReport[];
}): StateFinding {
  const { addon, installation, checks } = options;
  const { presence } = installation;
  switch (presence.is) {
    case "absent":
      return { state: "absent", message: `${addon.title} isn't in the cluster.` };
    case "crds-only":
      return { state: "crds-only", message: `Its resources are defined, and nothing serves them.` };
    case "unknown":
      return { state: "unknown", message: `Nothing was found, but ${presence.why}.` };
    case "provider-managed":
      return judgeChecks(checks) ?? { state: "provider-managed", message: `${presence.by} runs it.` };
    case "installed":
      return judgeInstalled(addon, installation, checks);
    default:
      return presence satisfies never;
  }
}

function judgeInstalled(
  { signals }: Pick<Addon, "signals">,
  installation: Installation,
  checks: readonly CheckReport[],
): StateFinding {
  const essential = signals.components.filter(({ isEssential }) => isEssential).map(({ name }) => name);
  for (const name of essential) {
    const trouble = findTrouble(name, workloadsOf(installation, name));
    if (trouble !== undefined) return { state: "degraded", message: trouble };
  }
  const missing = essential.find((name) => workloadsOf(installation, name).length === 0 && !isMade(installation, name));
  const { unseen } = installation;
  // A part that wasn't found may be among what wasn't seen.
  if (missing !== undefined && unseen === undefined) {
    return { state: "degraded", message: `Its part '${missing}' isn't there.` };
  }
  const planned = plannedPart(installation);
  const judged = judgeChecks(checks);
  // Waiting for it to run explains other doubts, too.
  if (judged?.state === "misconfigured") return judged;
  if (planned !== undefined)
    return { state: "unknown", message: `Not running: ${planned} is only planned.`, isNotRunning: true };
  if (judged) return judged;
  if (unseen !== undefined) return { state: "unknown", message: `It is there, but ${unseen}.` };
  return { state: "healthy", message: "It runs, and no required check fails." };
}

function findTrouble(name: string, workloads: readonly Workload[]): string | undefined {
  const waiting = workloads.find((workload) => !isPlanned(workload.object) && isNotReady(workload));
  if (waiting) return `${formatRef(waiting.ref)} has ${waiting.ready} of ${waiting.desired} pods ready.`;
  // A DaemonSet without matching nodes has nothing to do; a Deployment without pods does nothing.
  const isIdle = workloads.length > 0 && workloads.every(isScaledToZero);
  return isIdle ? `Its part '${name}' is scaled to zero.` : undefined;
}

function isNotReady({ ready, desired, object }: Workload): boolean {
  return ready < desired || !new Fields(object).isObserved;
}

function plannedPart({ components, made = [] }: Installation): string | undefined {
  const workload = components.flatMap(({ workloads }) => workloads).find(({ object }) => isPlanned(object));
  return workload ? formatRef(workload.ref) : made.find(({ isRunning }) => !isRunning)?.from;
}

/** Its operator makes it of an object that is there; a check says whether it has. */
function isMade({ made = [] }: Installation, name: string): boolean {
  return made.some(({ component }) => component === name);
}

function isScaledToZero({ ref, desired }: Workload): boolean {
  return desired === 0 && ref.resource !== "daemonsets.apps";
}

function judgeChecks(checks: readonly CheckReport[]): StateFinding | undefined {
  const required = checks.filter(({ check }) => check.severity === "required");
  const failed = required.find(({ verdict }) => verdict.is === "fail");
  if (failed) return { state: "misconfigured", message: failed.verdict.message };
  const unclear = required.find(({ verdict }) => verdict.is === "unknown");
  if (unclear) {
    const { verdict } = unclear;
    const message = `A required check can't be judged: ${verdict.message}`;
    return {
      state: "unknown",
      message,
      ...(verdict.is === "unknown" && verdict.isNotRunning && { isNotRunning: true }),
    };
  }
  return undefined;
}
