import { testGolden } from "../testing/golden-cases.fixture.ts";
import { reloader } from "./reloader.ts";

const of = "reloader/chart";
const env = "spec/template/spec/containers/0/env";

testGolden(reloader, {
  shapes: [{ of, version: "1.4.17", provenance: "helm" }],
  cases: [
    {
      title: "two instances restart each workload twice",
      of,
      edit: (objects) => [
        ...objects,
        ...objects.map((object) => ({ ...object, metadata: { ...object.metadata, namespace: "other" } })),
      ],
      verdicts: { "reloader.one-instance": "fail" },
      state: "healthy",
    },
    {
      title: "it watches one namespace",
      of,
      change: ["Deployment", "reloader-reloader", env, [{ name: "KUBERNETES_NAMESPACE", value: "apps" }]],
      verdicts: { "reloader.all-namespaces": "warn" },
    },
    {
      title: "it watches its own namespace, which the pod tells it",
      of,
      change: [
        "Deployment",
        "reloader-reloader",
        env,
        [{ name: "KUBERNETES_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
      ],
      verdicts: { "reloader.all-namespaces": "warn" },
    },
  ],
});
