import {
  type Check,
  type CheckInput,
  fixBy,
  kubectl,
  pass,
  safe,
  script,
  type Verdict,
  warn,
} from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { isPlanned } from "../snapshot/index.ts";
import { runningWorkloads } from "../workloads/index.ts";
import { isInstalled } from "./is-installed.ts";

/** Checks that a controller goes on when a node fails. */
export function twoReplicasCheck(options: {
  readonly addon: string;
  readonly chart: string;
  readonly values: unknown;
  readonly features: Check["features"];
}): Check {
  const { addon, features } = options;
  return {
    id: `${addon}.two-replicas`,
    title: "Two pods of the controller are ready",
    why: "With a single pod nothing is done from the failure of its node until the pod is started elsewhere.",
    severity: "recommended",
    features,
    appliesTo: isInstalled,
    judge: judgeReplicas,
  };

  function judgeReplicas({ installation }: CheckInput): Verdict {
    const controllers = workloadsOf(installation, "controller");
    const few = controllers.filter(({ ready }) => ready < 2);
    const short = few.find(({ desired }) => desired < 2) ?? runningWorkloads(few)[0];
    if (!short) return pass("Two pods of the controller are ready.");
    const path = short.desired < 2 ? "spec.replicas" : "status.readyReplicas";
    const observed = String(short.desired < 2 ? short.desired : short.ready);
    const { namespace = "default", name } = short.ref;
    const command = script([
      kubectl({ verb: ["scale"], namespace, options: ["--replicas", "2"], args: [`deployment/${name}`] }),
    ]);
    const { chart, values } = options;
    return warn(
      isPlanned(short.object) ? `${name} asks for ${short.desired} pods.` : `${short.ready} pods of ${name} are ready.`,
      [{ object: short.ref, path, observed, expected: "at least 2" }],
      // More replicas don't help where pods can't be placed.
      short.desired < 2
        ? fixBy({ installation, chart, values, otherwise: { is: "command", risk: safe, command } })
        : undefined,
    );
  }
}
