import { expect, test } from "vitest";
import { setAt } from "../../testing/examine-addon.fixture.ts";
import { testGolden } from "../../testing/golden-cases.fixture.ts";
import { verdictOf } from "../../testing/judge.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { argoWorkflows } from "./argo-workflows.ts";

const upstream = "argo-workflows/upstream";
const chart = "argo-workflows/chart";
const args = "spec/template/spec/containers/0/args";
const controller = "argo-workflows-workflow-controller";
const map = "argo-workflows-workflow-controller-configmap";
const deadline =
  "workflowDefaults: { spec: { activeDeadlineSeconds: 60, ttlStrategy: { secondsAfterCompletion: 3600 } } }";

testGolden(argoWorkflows, {
  shapes: [
    { of: upstream, version: undefined, provenance: "manifests" },
    { of: chart, version: "3.7.6", provenance: "helm" },
  ],
  cases: [
    {
      title: "a controller with --namespaced ignores jobs of other namespaces",
      of: upstream,
      change: ["Deployment", "workflow-controller", args, ["--namespaced"]],
      verdicts: { "argo-workflows.all-namespaces": "fail" },
      state: "misconfigured",
    },
    {
      title: "a controller with a managed namespace does, too",
      of: upstream,
      change: ["Deployment", "workflow-controller", args, ["--managed-namespace", "apps"]],
      verdicts: { "argo-workflows.all-namespaces": "fail" },
    },
    {
      title: "an instance id in a map with one key for each field",
      of: upstream,
      change: ["ConfigMap", "workflow-controller-configmap", "data/instanceID", "blue"],
      verdicts: { "argo-workflows.no-instance-id": "fail" },
      state: "misconfigured",
    },
    {
      title: "an instance id in a map with one document",
      of: chart,
      change: ["ConfigMap", map, "data/config", `instanceID: blue\n${deadline.replace("60", "432000")}`],
      verdicts: { "argo-workflows.no-instance-id": "fail" },
    },
    {
      title: "the document wins over keys beside it",
      of: chart,
      change: ["ConfigMap", map, "data/instanceID", "blue"],
    },
    {
      title: "jobs are ended after a minute",
      of: chart,
      change: ["ConfigMap", map, "data/config", deadline],
      verdicts: { "argo-workflows.active-deadline": "fail" },
      state: "healthy",
    },
    {
      title: "without configuration jobs run and stay for ever, as many as there are",
      of: upstream,
      change: ["ConfigMap", "workflow-controller-configmap", "data", undefined],
      verdicts: { "argo-workflows.active-deadline": "warn", "argo-workflows.time-to-live": "warn" },
    },
    {
      title: "finished jobs are kept for a second",
      of: upstream,
      change: [
        "ConfigMap",
        "workflow-controller-configmap",
        "data/workflowDefaults",
        "spec: { activeDeadlineSeconds: 432000, ttlStrategy: { secondsAfterCompletion: 1 } }",
      ],
      verdicts: { "argo-workflows.time-to-live": "fail" },
    },
    {
      title: "ten jobs at once are too few for the cluster",
      of: upstream,
      change: ["ConfigMap", "workflow-controller-configmap", "data/parallelism", "10"],
      verdicts: { "argo-workflows.parallelism": "fail" },
    },
    {
      title: "ten jobs at once are too few for a namespace",
      of: upstream,
      change: ["ConfigMap", "workflow-controller-configmap", "data/namespaceParallelism", "10"],
      verdicts: { "argo-workflows.namespace-parallelism": "fail" },
    },
    {
      title: "the map's name is an argument in two items, and in one",
      of: chart,
      change: ["Deployment", controller, args, [`--configmap=${map}`]],
    },
    {
      title: "without the argument the map of upstream's name is read, which isn't there",
      of: chart,
      change: ["Deployment", controller, args, []],
      verdicts: { "argo-workflows.active-deadline": "warn", "argo-workflows.time-to-live": "warn" },
    },
    {
      title: "a map that may not be read leaves all but the arguments unknown",
      of: chart,
      hidden: new Map([["configmaps", "forbidden"]]),
      verdicts: unknownMap(),
      state: "unknown",
    },
    {
      title: "a map that isn't YAML leaves it unknown",
      of: chart,
      change: ["ConfigMap", map, "data/config", "{ [: "],
      verdicts: unknownMap(),
    },
  ],
});

test.each([
  ["active-deadline", "workflowDefaults", undefined, /are ended/],
  ["active-deadline", "workflowDefaults", "spec: { activeDeadlineSeconds: 999999999 }", /are ended/],
  ["active-deadline", "workflowDefaults", "spec: { activeDeadlineSeconds: 60 }", /Somebody set/],
  ["time-to-live", "workflowDefaults", undefined, /are deleted/],
  ["time-to-live", "workflowDefaults", "spec: { ttlStrategy: { secondsAfterCompletion: 1 } }", /Somebody set/],
  ["parallelism", "parallelism", "10", /Somebody set/],
  ["namespace-parallelism", "namespaceParallelism", "10", /Somebody set/],
] as const)("a limit is never changed unasked: %s where %s is %s", (id, key, value, cost) => {
  const objects = changed(
    readStandIn(upstream),
    "ConfigMap",
    "workflow-controller-configmap",
    setAt(`data/${key}`, value),
  );
  expect(verdictOf(argoWorkflows, `argo-workflows.${id}`, objects)).toMatchObject({
    fix: { risk: { is: "destructive", cost: expect.stringMatching(cost) } },
  });
});

function unknownMap(): Record<string, "unknown"> {
  const ids = argoWorkflows.checks.map(({ id }) => id).filter((id) => id !== "argo-workflows.all-namespaces");
  return Object.fromEntries(ids.map((id) => [id, "unknown"]));
}
