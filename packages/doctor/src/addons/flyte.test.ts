import { testGolden } from "../testing/golden-cases.fixture.ts";
import { flyte } from "./flyte.ts";

const of = "flyte/chart";
const args = "spec/template/spec/containers/0/args";
const oneNamespace = "propeller: { limit-namespace: flyte }\n";

testGolden(flyte, {
  shapes: [{ of, version: "1.15.3", provenance: "helm" }],
  cases: [
    {
      title: "its file names one namespace",
      of,
      change: ["ConfigMap", "tfy-workflow-propeller-config", "data", { "core.yaml": oneNamespace }],
      verdicts: { "flyte.all-namespaces": "fail" },
      state: "misconfigured",
    },
    {
      title: "a flag names one namespace",
      of,
      change: ["Deployment", "tfy-workflow-propeller", args, ["--propeller.limit-namespace=flyte"]],
      verdicts: { "flyte.all-namespaces": "fail" },
    },
    {
      title: "a flag wins over the file",
      of,
      edit: (objects) =>
        objects.map((object) => {
          if (object.kind === "ConfigMap") return { ...object, data: { "core.yaml": oneNamespace } };
          const text = JSON.stringify(object).replace('"--config"', '"--propeller.limit-namespace=all","--config"');
          return JSON.parse(text) as typeof object;
        }),
    },
    {
      title: "a map that may not be read leaves it unknown",
      of,
      hidden: new Map([["configmaps", "forbidden"]]),
      verdicts: { "flyte.all-namespaces": "unknown" },
      state: "unknown",
    },
    {
      title: "without a word it takes all",
      of,
      change: ["ConfigMap", "tfy-workflow-propeller-config", "data", { "core.yaml": "propeller: {}\n" }],
    },
  ],
});
