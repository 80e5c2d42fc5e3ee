import { Fields } from "@fairlead/kernel";
import { type CheckInput, type Fix, fail, few, fixBy, pass, safe, type Verdict } from "../../checks/index.ts";
import { listByName, refTo } from "../../snapshot/index.ts";
import { runningWorkloads, type Workload } from "../../workloads/index.ts";

const resource = "clusterpolicies.nvidia.com";

export function judgeClusterPolicy({ snapshot }: CheckInput): Verdict {
  const policies = listByName(snapshot, resource).map((object) => ({
    object,
    ref: refTo(resource, object),
    state: new Fields(object).at("status", "state").text() ?? "nothing",
  }));
  const ready = policies.find(({ state }) => state === "ready");
  if (ready) return pass(`${ready.ref.name} is ready.`);
  if (policies.length === 0) return fail("There is no ClusterPolicy, so that the operator installs nothing.", []);
  return fail(
    "No ClusterPolicy is ready.",
    few(runningWorkloads(policies)).map(({ ref, state }) => ({
      object: ref,
      path: "status.state",
      observed: state,
      expected: "ready",
    })),
  );
}

/** The operator makes its DaemonSets again and again by what its policy says of all of them. */
export function tolerate(
  { snapshot, installation }: CheckInput,
  _plugin: Workload,
  tolerations: readonly unknown[],
): Fix {
  const [policy] = listByName(snapshot, resource);
  const values = { daemonsets: { tolerations } };
  const object = { resource, name: policy?.metadata.name ?? "cluster-policy" };
  const patch = { spec: values };
  const otherwise: Fix = { is: "patch", risk: safe, object, type: "merge", patch };
  return fixBy({ installation, chart: "gpu-operator", values, otherwise });
}
