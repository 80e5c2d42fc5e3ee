import { Fields } from "@fairlead/kernel";
import { type CheckInput, fail, few, pass, type Verdict } from "../../checks/index.ts";
import { formatRef, listByName, refTo } from "../../snapshot/index.ts";
import { runningWorkloads } from "../../workloads/index.ts";

const resources = ["clusterissuers.cert-manager.io", "issuers.cert-manager.io"] as const;

export function judgeIssuers({ snapshot }: CheckInput): Verdict {
  const issuers = resources.flatMap((resource) =>
    listByName(snapshot, resource).map((object) => ({
      object,
      ref: refTo(resource, object),
      ready: new Fields(object).condition("Ready"),
    })),
  );
  const isReady = issuers.find(({ ready }) => ready?.status === "True");
  if (isReady) return pass(`${formatRef(isReady.ref)} is ready.`);
  if (issuers.length === 0) return fail("There is no issuer.", []);
  return fail(
    "No issuer is ready.",
    few(runningWorkloads(issuers)).map(({ ref, ready }) => ({
      object: ref,
      path: "status.conditions[Ready]",
      observed: `${ready?.status ?? "Unknown"}: ${ready?.message ?? "no condition"}`,
      expected: "True",
    })),
  );
}
