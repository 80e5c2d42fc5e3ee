import { Fields } from "@fairlead/kernel";
import { type CheckInput, fail, few, pass, type Verdict, warn } from "../../checks/index.ts";
import { type ClusterObject, type Evidence, listByName, refTo, runningOf } from "../../snapshot/index.ts";

const resource = "certificates.cert-manager.io";

/** Fails for certificates that ran out or were never issued, and warns of a late renewal: such a one still serves. */
export function judgeCertificates({ snapshot, now }: CheckInput): Verdict {
  const certificates = listByName(snapshot, resource);
  const faulty = certificates.filter((certificate) => findFault(certificate, now));
  const unusable = runningOf(resource, faulty).flatMap((certificate) => findFault(certificate, now) ?? []);
  if (unusable.length > 0) return fail(`${unusable.length} certificates can't be used.`, few(unusable));
  const late = certificates.flatMap((certificate) => findDelay(certificate, now) ?? []);
  if (late.length > 0) return warn(`${late.length} certificates should have been renewed.`, few(late));
  return pass(`${certificates.length} certificates are ready.`);
}

function findFault(certificate: ClusterObject, now: Date): Evidence | undefined {
  const fields = new Fields(certificate);
  const object = refTo(resource, certificate);
  const end = fields.at("status", "notAfter").text();
  if (end !== undefined && Date.parse(end) <= now.getTime()) {
    return { object, path: "status.notAfter", observed: end, expected: `later than ${now.toISOString()}` };
  }
  const ready = fields.condition("Ready");
  if (ready?.status === "True") return undefined;
  const observed = `${ready?.status ?? "Unknown"}: ${ready?.message ?? "no condition"}`;
  return { object, path: "status.conditions[Ready]", observed, expected: "True" };
}

function findDelay(certificate: ClusterObject, now: Date): Evidence | undefined {
  const renewal = new Fields(certificate).at("status", "renewalTime").text();
  if (renewal === undefined || !(Date.parse(renewal) <= now.getTime())) return undefined;
  const object = refTo(resource, certificate);
  return { object, path: "status.renewalTime", observed: renewal, expected: `later than ${now.toISOString()}` };
}
