import {
  type Addon,
  type ClusterType,
  catalogue,
  clusterTypes,
  examineCluster,
  fairlead,
  type Profile,
  type Report,
  type Snapshot,
} from "@fairlead/doctor";
import { usage } from "../errors.ts";
import { type DoctorOptions, splitNames } from "./options.ts";

/** What is asked of a cluster, before anything of it was read. */
export interface Question {
  examine(snapshot: Snapshot): Report;
  /** Leaves of a report what was asked for by name. */
  narrow(report: Report): Report;
  /** Other addons that do the same job. */
  alternativesOf(addon: string): readonly string[];
}

export function readQuestion(options: DoctorOptions, now: Date): Question {
  const profile = readProfile(options.profile);
  const clusterType = readType(options.type);
  const only = readOnly(options.only);
  const addons = only === undefined ? catalogue : catalogue.filter((addon) => isAsked(addon, only));
  return {
    examine: (snapshot) =>
      examineCluster({ snapshot, profile, addons, now, ...(clusterType !== undefined && { clusterType }) }),
    narrow: (report) => (only === undefined ? report : narrowReport(report, only)),
    alternativesOf: (id) => catalogue.find((addon) => addon.id === id)?.alternatives ?? [],
  };
}

function readProfile(given = fairlead.name): Profile {
  if (given === fairlead.name) return fairlead;
  throw usage(`There is no profile '${given}'.`, `There is one: ${fairlead.name}.`);
}

function readType(given: string | undefined): ClusterType | undefined {
  const type = clusterTypes.find((known) => known === given);
  if (given !== undefined && type === undefined)
    throw usage(`'${given}' is no type of cluster.`, `Types are ${clusterTypes.join(", ")}.`);
  return type;
}

function readOnly(given: string | undefined): ReadonlySet<string> | undefined {
  const names = splitNames(given);
  if (names === undefined) return undefined;
  const known = new Set(catalogue.flatMap(({ id, checks }) => [id, ...checks.map((check) => check.id)]));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw usage(`There is no addon and no check '${unknown}'.`, "docs/checks/README.md lists them.");
  return new Set(names);
}

function isAsked({ id, checks }: Addon, only: ReadonlySet<string>): boolean {
  return only.has(id) || checks.some((check) => only.has(check.id));
}

/** A feature may need what nobody asked for, so nothing is said of features. */
function narrowReport(report: Report, only: ReadonlySet<string>): Report {
  return {
    ...report,
    features: [],
    addons: report.addons.map((addon) =>
      only.has(addon.id) ? addon : { ...addon, checks: addon.checks.filter(({ check }) => only.has(check.id)) },
    ),
    checks: report.checks.filter(({ check }) => only.has(check.id)),
  };
}
