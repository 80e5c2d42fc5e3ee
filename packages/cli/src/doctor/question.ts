import {
  type Addon,
  type CheckReport,
  type ClusterType,
  catalogue,
  checkOwners,
  clusterTypes,
  examineCluster,
  type Profile,
  type Report,
  type Snapshot,
} from "@fairlead/doctor";
import { usage } from "../errors.ts";
import { type DoctorOptions, splitNames } from "./options.ts";
import { readProfile } from "./read-profile.ts";

/** The parts of a request that are known before anything of the cluster was read. */
export interface Question {
  readonly profile: Profile;
  examine(snapshot: Snapshot): Report;
  /** Keeps only the parts of a report that were asked for by name. */
  narrow(report: Report): Report;
  /** Other addons that do the same job. */
  alternativesOf(addon: string): readonly string[];
}

/** @throws {FairleadError} `CLI_USAGE` for names that no cluster could be asked by, `DOCTOR_PROFILE_INVALID`. */
export async function readQuestion(
  options: Pick<DoctorOptions, "profile" | "type" | "only">,
  now: Date,
): Promise<Question> {
  const profile = await readProfile(options.profile);
  const clusterType = readType(options.type);
  const names = splitNames(options.only);
  const only = names && new Set(names);
  const addons = only === undefined ? catalogue : catalogue.filter((addon) => isAsked(addon, only));
  const examine = (snapshot: Snapshot): Report =>
    examineCluster({ snapshot, profile, addons, now, ...(clusterType !== undefined && { clusterType }) });
  if (only !== undefined) refuseUnknown(only);
  return {
    profile,
    examine,
    narrow: (report) => (only === undefined ? report : narrowReport(report, only)),
    alternativesOf: (id) => catalogue.find((addon) => addon.id === id)?.alternatives ?? [],
  };
}

function readType(given: string | undefined): ClusterType | undefined {
  const type = clusterTypes.find((known) => known === given);
  if (given !== undefined && type === undefined)
    throw usage(`'${given}' isn't a cluster type.`, `Types are ${clusterTypes.join(", ")}.`);
  return type;
}

function isAsked({ id, checks }: Addon, only: ReadonlySet<string>): boolean {
  return only.has(id) || checks.some((check) => only.has(check.id));
}

/**
 * Names are those of addons, of checks, and of what checks of the whole cluster are about: `storage` for
 * `storage.default-class`. A feature may need what nobody asked for, so nothing is said of features.
 */
function narrowReport(report: Report, only: ReadonlySet<string>): Report {
  const isNamed = ({ check }: CheckReport) => only.has(check.id) || only.has(groupOf(check.id));
  return {
    ...report,
    addons: report.addons.map((addon) =>
      only.has(addon.id) ? addon : { ...addon, checks: addon.checks.filter(isNamed) },
    ),
    checks: report.checks.filter(isNamed),
    features: [],
  };
}

function refuseUnknown(names: ReadonlySet<string>): void {
  const known = new Set(checkOwners.flatMap(({ id, checks }) => [id, ...checks.map((check) => check.id)]));
  const unknown = [...names].find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw usage(`No addon or check is named '${unknown}'.`, "docs/checks/README.md lists them.");
}

function groupOf(checkId: string): string {
  return checkId.split(".")[0] ?? "";
}
