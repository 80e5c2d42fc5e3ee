import { testGolden } from "../testing/golden-cases.fixture.ts";
import { neuron } from "./neuron.ts";

const chart = "neuron/chart";

testGolden(neuron, {
  clusterType: "eks",
  shapes: [
    { of: "neuron/upstream", version: "1.0.9043.0", provenance: "manifests" },
    { of: chart, version: "2.22.4.0", provenance: "helm" },
  ],
  cases: [
    {
      title: "an Inferentia node offers no device",
      of: chart,
      change: ["Node", "inf-1", "status/allocatable", { cpu: "4" }],
      verdicts: { "neuron.allocatable": "fail" },
      state: "misconfigured",
    },
    {
      title: "other nodes need offer none",
      of: chart,
      change: ["Node", "inf-1", "metadata/labels", { "node.kubernetes.io/instance-type": "m7i.large" }],
    },
  ],
});
