// `-retentionPeriod` of VictoriaMetrics and VictoriaLogs.
import { type CheckInput, destructive, type Fix, fail, pass, type Verdict } from "../checks/index.ts";
import type { Evidence } from "../snapshot/index.ts";
import { readGoFlag, type Workload } from "../workloads/index.ts";

/** A number without a unit means months, of 31 days each. */
export function parseVictoriaPeriod(text: string): number {
  const parts = /^(\d+(?:\.\d+)?)([hdwMy]?)$/.exec(text);
  return parts ? Number(parts[1]) * (daysIn[parts[2] ?? ""] ?? 0) : 0;
}

const daysIn: Readonly<Record<string, number>> = { "": 31, M: 31, h: 1 / 24, d: 1, w: 7, y: 365 };

export function judgeVictoriaRetention(options: {
  readonly workloads: readonly Workload[];
  readonly wantedDays: number;
  /** The retention without the flag. */
  readonly usual: string;
  readonly fix: Fix | undefined;
}): Verdict {
  const { workloads, wantedDays, usual, fix } = options;
  const found = workloads.map(({ ref, containers }) => {
    const written = containers.flatMap((container) => readGoFlag(container, "retentionPeriod") ?? [])[0];
    const evidence: Evidence = {
      object: ref,
      path: "spec.template.spec.containers[].args: retentionPeriod",
      observed: written ?? `unset, which is ${usual}`,
      expected: `${wantedDays}d or longer`,
    };
    return { days: parseVictoriaPeriod(written ?? usual), evidence };
  });
  const evidence = found.map((each) => each.evidence);
  if (found.every(({ days }) => days >= wantedDays)) return pass("It keeps data long enough.", evidence);
  return fail(`It keeps data for less than ${wantedDays} days.`, evidence, fix);
}

/** Where a chart of this name installed it; people who wrote its flags themselves know where. */
export function fixByChart({ installation }: CheckInput, chart: string, values: unknown): Fix | undefined {
  const { provenance } = installation;
  if (provenance?.is === "helm") {
    return {
      is: "helm-values",
      risk: restarts,
      chart,
      release: { namespace: provenance.namespace, name: provenance.release },
      values,
    };
  }
  return provenance?.is === "argocd" || provenance?.is === "flux"
    ? { is: "helm-values", risk: restarts, chart, values }
    : undefined;
}

const restarts = destructive(
  "It restarts and answers nothing meanwhile; its volume fills further. Data that lies in no volume is lost.",
);
