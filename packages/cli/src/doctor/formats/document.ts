import { type CheckReport, type Evidence, formatRef, type Installation } from "@fairlead/doctor";
import { type Examination, pageOf } from "./examination.ts";

/** The answer to `--json`. It tells of objects by their names, and has none of them whole. */
export function toDocument({ report, fitness, rightsMissing, read }: Examination): object {
  const { profile, clusterType, addons, checks, ...parts } = report;
  return {
    fitness: fitness.is,
    because: fitness.because,
    profile,
    read,
    clusterType: { ...clusterType, evidence: clusterType.evidence.map(toEvidence) },
    addons: addons.map(({ id, title, need, state, message, isNotRunning, installation, checks: ofAddon }) => ({
      id,
      title,
      need,
      state,
      message,
      ...(isNotRunning && { isNotRunning }),
      ...toInstallation(installation),
      checks: ofAddon.map(toCheck),
    })),
    checks: checks.map(toCheck),
    ...parts,
    rightsMissing,
  };
}

function toInstallation({ version, provenance, components }: Installation): object {
  return {
    ...(version !== undefined && { version }),
    ...(provenance && { provenance: describeProvenance(provenance) }),
    components: components.map(({ name, workloads }) => ({
      name,
      workloads: workloads.map(({ ref, ready, desired }) => ({ object: formatRef(ref), ready, desired })),
    })),
  };
}

function describeProvenance(provenance: NonNullable<Installation["provenance"]>): object {
  if (provenance.is !== "argocd") return provenance;
  return { is: "argocd", ...(provenance.application && { application: formatRef(provenance.application) }) };
}

function toCheck({ check, verdict }: CheckReport): object {
  const { id, title, severity, features } = check;
  const fix = verdict.is === "pass" ? undefined : verdict.fix;
  return {
    id,
    title,
    severity,
    features,
    verdict: verdict.is,
    message: verdict.message,
    ...(verdict.is === "unknown" && verdict.isNotRunning && { isNotRunning: true }),
    evidence: verdict.evidence.map(toEvidence),
    ...(fix && { fix }),
    page: pageOf(id),
  };
}

function toEvidence({ object, path, observed, expected }: Evidence): object {
  return { object: formatRef(object), path, observed, expected };
}
