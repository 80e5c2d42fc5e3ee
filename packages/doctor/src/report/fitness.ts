import type { AddonReport, AddonState, CheckReport, Report } from "./report.ts";

/** The answer to the one question that a pipeline asks. */
export interface Fitness {
  /** `unjudged`: nothing that is required fails, and not everything that is required could be looked at. */
  readonly is: "fit" | "unfit" | "unjudged";
  /** Why not, each as a sentence. */
  readonly because: readonly Shortfall[];
}

export interface Shortfall {
  readonly addon?: string;
  readonly check?: string;
  readonly message: string;
}

/** A check that is required must pass, and an addon that is essential must be there, or another that does its job. */
export function judgeFitness(report: Report, alternativesOf: (addon: string) => readonly string[] = () => []): Fitness {
  const required = allChecks(report).filter(({ check }) => check.severity === "required");
  const essential = report.addons.filter(({ need }) => need === "essential");
  const standings = essential.map((addon) => ({
    addon,
    standing: standingOf(addon, report, alternativesOf(addon.id)),
  }));

  const failed = [
    ...standings.filter(({ standing }) => standing === "missing").map(({ addon }) => toShortfall(addon)),
    ...required.filter(({ verdict }) => verdict.is === "fail").map(toCheckShortfall),
  ];
  if (failed.length > 0) return { is: "unfit", because: failed };
  const unknown = [
    ...standings.filter(({ standing }) => standing === "unknown").map(({ addon }) => toShortfall(addon)),
    ...required.filter(({ verdict }) => verdict.is === "unknown").map(toCheckShortfall),
  ];
  return { is: unknown.length > 0 ? "unjudged" : "fit", because: unknown };
}

/** Those of addons, and those of the cluster as a whole. */
export function allChecks({ addons, checks }: Report): readonly CheckReport[] {
  return [...addons.flatMap((addon) => addon.checks), ...checks];
}

type Standing = "there" | "missing" | "unknown";

/** The best of the addon's own and of those that do its job. */
function standingOf(addon: AddonReport, { addons }: Report, alternatives: readonly string[]): Standing {
  const all = [addon, ...addons.filter(({ id }) => alternatives.includes(id))].map(({ state }) => toStanding(state));
  if (all.includes("there")) return "there";
  return all.includes("unknown") ? "unknown" : "missing";
}

function toStanding(state: AddonState): Standing {
  switch (state) {
    case "absent":
    case "crds-only":
      return "missing";
    case "unknown":
      return "unknown";
    case "healthy":
    case "degraded":
    case "misconfigured":
    case "provider-managed":
      return "there";
    default:
      return state satisfies never;
  }
}

function toShortfall({ id, message }: AddonReport): Shortfall {
  return { addon: id, message };
}

function toCheckShortfall({ check, verdict }: CheckReport): Shortfall {
  return { check: check.id, message: verdict.message };
}
