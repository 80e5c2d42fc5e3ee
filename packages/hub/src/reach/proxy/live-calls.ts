// Requests in flight. Rights may end while one runs: each is judged again whenever something may have taken rights
// away, and cut when its caller wouldn't be let in any more.
import type { FairleadError } from "@fairlead/kernel";
import type { CallerIdentity } from "@fairlead/protocol";
import { type AdmittedCall, isRecordable } from "./call.ts";
import { accessEnded } from "./errors.ts";
import type { AccessPort } from "./ports.ts";

/** The part that runs the request: an exchange, or a splice. */
export interface Running {
  /** Ends it, whatever it is at. */
  cut(error: FairleadError): void;
}

export function judgeAgain(calls: Iterable<readonly [AdmittedCall, Running]>, access: AccessPort): void {
  for (const [admitted, running] of calls) {
    let ended: FairleadError | undefined;
    try {
      ended = findEnd(admitted, access);
    } catch {
      // A request that can't be judged doesn't go on, and must not keep the others from being judged.
      ended = accessEnded(403, "it can't be told whether this is still allowed");
    }
    if (ended) running.cut(ended);
  }
}

function findEnd(admitted: AdmittedCall, access: AccessPort): FairleadError | undefined {
  const { call, principal, impersonate, attributes, target } = admitted;
  if (access.isSignedIn?.(principal) === false) {
    return accessEnded(401, `${principal.name} isn't signed in any more`);
  }
  const decision = access.authorize({
    principal,
    cluster: target.cluster,
    attributes,
    ...(impersonate === undefined ? {} : { impersonate }),
  });
  if (!decision.allowed) return accessEnded(403, `${principal.name} may no longer do this: ${decision.reason}`);
  if (isNarrower(decision.identity, admitted.identity)) {
    return accessEnded(403, `${principal.name} has fewer rights in cluster ${target.cluster} than before`);
  }
  if (decision.record && !admitted.isRecorded && isRecordable(call, attributes)) {
    return accessEnded(403, `sessions of ${principal.name} in cluster ${target.cluster} are recorded from now on`);
  }
  return undefined;
}

/** The cluster has judged by the groups of the beginning; those who lost one of them ask again. */
function isNarrower(now: CallerIdentity, before: CallerIdentity): boolean {
  return now.user !== before.user || before.groups.some((group) => !now.groups.includes(group));
}
