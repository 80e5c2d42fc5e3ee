import {
  type CheckInput,
  changeArgument,
  destructive,
  type Fix,
  fail,
  fixBy,
  pass,
  unknown,
  type Verdict,
} from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import { type Container, readEnv, readFlag, type Workload } from "../../workloads/index.ts";

const gate = "NodeRepair";

export function judgeNodeRepair({ installation }: CheckInput): Verdict {
  for (const controller of workloadsOf(installation, "controller")) {
    const container = containerWithGates(controller);
    if (!container) return fail("Karpenter's controller has no container.", []);
    const gates = readGates(container);
    if (gates.is === "elsewhere") return unknown("Karpenter takes its feature gates from another object.");
    if (isOn(gates.text)) continue;
    const wanted = withGate(gates.text);
    return fail(
      "Karpenter replaces no node that stays ill: NodeRepair is off.",
      [
        {
          object: controller.ref,
          path: `${container.path}.${gates.is === "flag" ? "args" : "env[FEATURE_GATES]"}`,
          observed: gates.text || "nothing",
          expected: `${gate}=true`,
        },
      ],
      fixBy({
        installation,
        chart: "karpenter",
        values: { settings: { featureGates: { nodeRepair: true } } },
        otherwise:
          gates.is === "flag"
            ? changeFlag(controller, container, wanted)
            : changeVariable(controller, container, wanted),
      }),
    );
  }
  return pass("NodeRepair is on.");
}

function changeFlag(workload: Workload, container: Container, gates: string): Fix {
  return changeArgument({
    workload,
    container,
    flag: "feature-gates",
    isSwitch: false,
    value: gates,
    risk: replacesNodes,
  });
}

function changeVariable({ ref }: Workload, { name }: Container, value: string): Fix {
  const containers = [{ name, env: [{ name: "FEATURE_GATES", value }] }];
  return {
    is: "patch",
    risk: replacesNodes,
    object: ref,
    type: "strategic",
    patch: { spec: { template: { spec: { containers } } } },
  };
}

function containerWithGates({ containers }: Workload): Container | undefined {
  return containers.find((container) => readGates(container).text !== "") ?? containers[0];
}

/** The flag wins over the variable. */
function readGates(container: Container): { readonly is: "flag" | "variable" | "elsewhere"; readonly text: string } {
  const flag = readFlag(container, "feature-gates");
  if (flag !== undefined) return { is: "flag", text: flag };
  const variable = readEnv(container, "FEATURE_GATES");
  if (variable.is === "elsewhere") return { is: "elsewhere", text: "elsewhere" };
  return { is: "variable", text: variable.is === "set" ? variable.value : "" };
}

function isOn(text: string): boolean {
  const last = entriesOf(text).findLast(([name]) => name === gate);
  return last !== undefined && /^(1|t|true)$/i.test(last[1] ?? "");
}

function withGate(text: string): string {
  const others = entriesOf(text).filter(([name]) => name !== gate && name !== "");
  return [...others, [gate, "true"]].map((entry) => entry.join("=")).join(",");
}

function entriesOf(text: string): string[][] {
  return text.split(",").map((entry) => entry.trim().split("="));
}

const replacesNodes = destructive("Karpenter then ends nodes that stay unhealthy, with all that runs there.");
