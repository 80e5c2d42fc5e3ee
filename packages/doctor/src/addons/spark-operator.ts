import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, changeArgument, everywhere, fail, fixBy, pass, type Verdict } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { containersOf, parseCsv, readFlag } from "../workloads/index.ts";
import { optionalEverywhere } from "./need.ts";

const images = ["spark-operator/controller", "spark-operator"];

export const sparkOperator: Addon = {
  id: "spark-operator",
  title: "Spark operator",
  need: optionalEverywhere,
  signals: {
    resources: ["sparkapplications.sparkoperator.k8s.io"],
    components: [
      {
        name: "controller",
        isEssential: true,
        images,
        labels: { "app.kubernetes.io/component": ["controller"] },
        names: [/spark-operator(-controller)?$/],
      },
      {
        name: "webhook",
        isEssential: false,
        images,
        labels: { "app.kubernetes.io/component": ["webhook"] },
        names: [/spark-operator-webhook$/],
      },
    ],
  },
  checks: [
    {
      id: "spark-operator.job-namespaces",
      title: "The operator takes jobs from all namespaces that workloads live in",
      why: "A SparkApplication in a namespace that isn't among `--namespaces` never starts. Without the flag, and with an empty namespace in it, the operator takes all.",
      severity: "required",
      features: ["spark-jobs"],
      judge: judgeNamespaces,
    },
  ],
  unlocks: ["spark-jobs"],
  install: {
    chart: "spark-operator",
    repository: "https://kubeflow.github.io/spark-operator",
    version: "2.2.1",
    versionRange: ">=2.0.0 <3.0.0",
    isVersionOfProgram: true,
    namespace: "spark-operator",
    release: "spark-operator",
    order: 0,
    after: [],
    values: () => ({ spark: { jobNamespaces: [""] } }),
  },
};

function judgeNamespaces({ installation, profile }: CheckInput): Verdict {
  const wanted = profile.argocd.applicationNamespaces;
  const workloads = ["controller", "webhook"].flatMap((name) => workloadsOf(installation, name));
  for (const found of containersOf(workloads)) {
    const flag = readFlag(found.container, "namespaces");
    const missing = flag === undefined ? [] : missingFrom(parseCsv(flag), wanted);
    if (missing.length === 0) continue;
    return fail(
      `${found.workload.ref.name} takes no jobs from ${missing.includes("*") ? "other namespaces" : missing.join(", ")}.`,
      [
        {
          object: found.workload.ref,
          path: `${found.container.path}.args`,
          observed: `--namespaces=${flag}`,
          expected: wanted.includes("*") ? "all namespaces" : wanted.join(","),
        },
      ],
      fixBy({
        installation,
        chart: "spark-operator",
        values: { spark: { jobNamespaces: wanted.includes("*") ? [""] : wanted } },
        otherwise: changeArgument({ ...found, flag: "namespaces", isSwitch: false, risk: everywhere("The operator") }),
      }),
    );
  }
  return pass("The operator takes jobs from all namespaces that the profile names.");
}

/** An empty namespace stands for all; charts render it as two quote characters, which is an empty entry all the same. */
function missingFrom(watched: readonly string[], wanted: readonly string[]): readonly string[] {
  if (watched.length === 0 || watched.includes("")) return [];
  return wanted.filter((namespace) => !watched.includes(namespace));
}
