import type { RolloutWave } from "@fairlead/contract";
import { expect, test } from "vitest";
import { findInstallers, findPinned, type Installation, type Release } from "./installation.ts";
import { type Action, type Goal, judgeSeen, judgeUnseen, type PlannedUpgrade, type SeenCluster } from "./plan.ts";
import { runInWaves } from "./run-waves.ts";
import { compareAgent, isSupported } from "./versions.ts";
import { findWanting } from "./wait-for-version.ts";
import { toWaves } from "./waves.ts";

const goal: Goal = { chartVersion: "0.2.1", version: "0.2.0" };
const release: Release = {
  namespace: "fairlead",
  name: "fairlead-agent",
  revision: 3,
  goodRevision: 3,
  status: "deployed",
  roles: ["proxy", "observe"],
  pinned: [],
};

function cluster(name: string, more: Partial<SeenCluster> = {}): SeenCluster {
  const agents = [{ roles: ["proxy" as const], version: "0.1.0" }];
  return { name, labels: {}, state: "connected", agents, ...more };
}

const judge = (installation: Installation, seen = cluster("east")): Action => judgeSeen(seen, { installation }, goal);
const byHelm = (more: Partial<Release> = {}): Action => judge({ by: "helm", release: { ...release, ...more } });

test.each([
  ["0.1.0", "0.1.0", "same"],
  ["0.1.9", "0.2.0", "older"],
  ["0.4.0", "0.2.0", "newer"],
  ["0.1.0", "0.4.0", "too old"],
  ["0.9.0", "0.2.0", "too new"],
  ["1.0.0", "0.9.0", "too new"],
  ["v0.1.0", "0.2.0-rc.1", "older"],
  ["0.2.0-rc.1", "0.2.0", "unknown"],
  ["main", "0.2.0", "unknown"],
])("an agent of version %s is to %s: %s", (agent, hub, standing) => {
  expect(compareAgent(agent, hub)).toBe(standing);
});

test("hub and agent work together two minor versions apart, and no further", () => {
  const versions = ["0.2.0", "0.3.9", "0.4.0", "0.5.0", "1.4.0", "nightly"];
  const answers = versions.map((agent) => isSupported(compareAgent(agent, "0.2.0")));
  expect(answers).toEqual([true, true, true, false, false, true]);
});

test("a cluster whose agents all run the version needs nothing, and one without agents can't be judged later", () => {
  expect(judgeUnseen(cluster("east", { agents: [{ roles: ["proxy"], version: "0.2.0" }] }), goal)).toEqual({
    is: "current",
  });
  expect(judgeUnseen(cluster("east"), goal)).toBeUndefined();
  const away = judgeUnseen(cluster("east", { state: "offline", agents: [] }), goal);
  expect(away).toMatchObject({ is: "unusable", why: expect.stringContaining("offline") });
});

test("a release of Helm's is upgraded, and the roles that it has are waited for, no others", () => {
  const agents = [
    { roles: ["proxy" as const], version: "0.1.0" },
    { roles: ["observe" as const], version: "0.1.1" },
    // A process beside the chart.
    { roles: ["gitops" as const], version: "0.0.9" },
  ];
  const seen = cluster("east", { agents });
  expect(judge({ by: "helm", release }, seen)).toEqual({
    is: "upgrade",
    upgrade: { cluster: seen, release, roles: ["proxy", "observe"], from: ["0.1.0", "0.1.1"] },
  });
  const rest = agents.map((agent) => (agent.version === "0.0.9" ? agent : { ...agent, version: "0.2.0" }));
  expect(judge({ by: "helm", release }, cluster("east", { agents: rest }))).toEqual({ is: "current" });
});

test.each([
  [{ status: "pending-upgrade" }, "pending-upgrade"],
  [{ status: "uninstalling" }, "uninstalling"],
  [{ pinned: ["image.digest"] }, "image.digest"],
  [{ roles: ["gitops" as const] }, "no role of the release"],
])("a release is left alone that %j", (more, why) => {
  expect(byHelm(more)).toMatchObject({ is: "unusable", why: expect.stringContaining(why) });
});

test("one that failed before is upgraded again", () => {
  expect(byHelm({ status: "failed" })).toMatchObject({ is: "upgrade" });
});

test.each<[Installation, string, string]>([
  [{ by: "argo-cd", application: "agents" }, "Argo CD application 'agents'", "targetRevision: 0.2.1"],
  [
    { by: "flux", kind: "HelmRelease", namespace: "flux-system", name: "agent" },
    "HelmRelease 'flux-system/agent'",
    "spec.chart.spec.version: 0.2.1",
  ],
  [{ by: "flux", kind: "Kustomization", namespace: "a", name: "b" }, "Kustomization 'a/b'", "version: 0.2.1"],
  [{ by: "unknown" }, "isn't a release of Helm's", "version: 0.2.1"],
])("what %j installs is changed there, and the line says to what", (installation, where, line) => {
  expect(judge(installation)).toEqual({ is: "edit", where: expect.stringContaining(where), lines: [line] });
});

test("an agent that runs as a process, and a cluster that can't be looked at, are unusable and say why", () => {
  expect(judge({ by: "nothing" })).toMatchObject({ is: "unusable", why: expect.stringContaining("no Deployment") });
  expect(judgeSeen(cluster("east"), { why: "no context", hint: "Name it." }, goal)).toEqual({
    is: "unusable",
    why: "no context",
    hint: "Name it.",
  });
});

const deployment = (role: string, metadata: { labels?: object; annotations?: object } = {}) => ({
  metadata: {
    namespace: "fairlead",
    annotations: { ...metadata.annotations },
    labels: {
      "app.kubernetes.io/part-of": "fairlead",
      "app.kubernetes.io/component": role,
      ...metadata.labels,
    },
  },
});
const helm = { "meta.helm.sh/release-name": "agent", "meta.helm.sh/release-namespace": "fairlead" };

test("the Deployments say who installed them: GitOps before Helm, as it installs by Helm", () => {
  const flux = { "helm.toolkit.fluxcd.io/name": "agent", "helm.toolkit.fluxcd.io/namespace": "flux-system" };
  const tracking = { "argocd.argoproj.io/tracking-id": "agents:apps/Deployment:fairlead/fairlead-agent-proxy" };
  const found = (metadata: { labels?: object; annotations?: object }) =>
    findInstallers([deployment("proxy", metadata)])[0]?.installer;
  expect(found({ annotations: helm })).toEqual({ by: "helm", place: { namespace: "fairlead", name: "agent" } });
  expect(found({ annotations: { ...helm, ...tracking } })).toEqual({ by: "argo-cd", application: "agents" });
  expect(found({ labels: { "argocd.argoproj.io/instance": "agents" } })).toMatchObject({ by: "argo-cd" });
  expect(found({ annotations: helm, labels: flux })).toMatchObject({ by: "flux", kind: "HelmRelease" });
  expect(found({})).toEqual({ by: "unknown" });
});

test("roles of one release are one installation, and what isn't the agent's is none", () => {
  const annotations = helm;
  const roles = ["proxy", "observe"].map((role) => deployment(role, { annotations }));
  const hub = deployment("people", { annotations });
  expect(findInstallers([...roles, hub, {}])).toEqual([
    { installer: { by: "helm", place: { namespace: "fairlead", name: "agent" } }, roles: ["proxy", "observe"] },
  ]);
  const other = deployment("proxy", { annotations: { ...helm, "meta.helm.sh/release-namespace": "other" } });
  expect(findInstallers([...roles, other])).toHaveLength(2);
});

test("values that pin an image are found, empty ones aren't pins", () => {
  expect(findPinned({ image: { tag: "0.1.0", digest: "" }, execute: { image: { digest: "sha256:a" } } })).toEqual([
    "image.tag",
    "execute.image.digest",
  ]);
  expect(findPinned(null)).toEqual([]);
});

const upgrades = ["a", "b", "c", "d", "e"].map(
  (name): PlannedUpgrade => ({
    cluster: cluster(name, { labels: name === "d" ? { env: "canary" } : {} }),
    release,
    roles: ["proxy"],
    from: ["0.1.0"],
  }),
);

test.each<[string, RolloutWave[] | undefined, string[][]]>([
  ["nothing", undefined, [["a"], ["b", "c", "d", "e"]]],
  ["sizes", [{ size: 2 }, { size: "30%" }], [["a", "b"], ["c", "d"], ["e"]]],
  ["a label", [{ selector: "env=canary" }], [["d"], ["a", "b", "c", "e"]]],
  ["a label that nobody has", [{ selector: "env=none" }], [["a", "b", "c", "d", "e"]]],
])("waves of %s take clusters once each, and the rest is the last one", (_what, waves, expected) => {
  expect(toWaves(upgrades, waves).map((wave) => wave.map(({ cluster }) => cluster.name))).toEqual(expected);
});

test("a wave that isn't a selector is refused", () => {
  expect(() => toWaves(upgrades, [{ selector: "env in" }])).toThrow("isn't a label selector");
});

test("after the first failure nothing more is begun, and what is under way ends", async () => {
  const begun: string[] = [];
  const outcome = await runInWaves({
    waves: [["a"], ["b", "c", "d"], ["e"]],
    maxParallel: 2,
    run: async (name) => {
      begun.push(name);
      await new Promise(setImmediate);
      if (name === "b") throw new Error("b failed");
    },
  });
  expect(begun).toEqual(["a", "b", "c"]);
  expect(outcome).toMatchObject({ done: ["a", "c"], left: ["d", "e"], failures: [{ message: "b failed" }] });
});

test("a wave waits for the one before", async () => {
  const log: string[] = [];
  const run = async (name: string) => {
    log.push(`+${name}`);
    await new Promise(setImmediate);
    log.push(`-${name}`);
  };
  expect(await runInWaves({ waves: [["a", "b"], ["c"]], maxParallel: 5, run })).toMatchObject({ left: [] });
  expect(log).toEqual(["+a", "+b", "-a", "-b", "+c", "-c"]);
});

test("an agent is live when each of its roles has links of the version, and of no other", () => {
  const at = "2026-01-01T00:00:00Z";
  const link = (role: "proxy" | "observe", agentVersion: string, more: object = {}) => {
    return { id: "1", roles: [role], connectedAt: at, remoteAddress: "192.0.2.1", agentVersion, ...more };
  };
  const wanting = (links: ReturnType<typeof link>[], state: "connected" | "offline" = "connected") =>
    findWanting({ links, state }, { roles: ["proxy", "observe"], versions: ["0.2.0"] });
  const both = [link("proxy", "0.2.0"), link("observe", "0.2.0")];
  expect(wanting(both)).toBeUndefined();
  expect(wanting(both.slice(0, 1))).toContain("no link of it for observe");
  expect(wanting([...both, link("proxy", "0.1.0")])).toContain("for proxy is 0.1.0 still");
  const refusal = { code: "CLUSTER_IDENTITY_MISMATCH", message: "another cluster" };
  expect(wanting([link("proxy", "0.2.0", { refusal }), link("observe", "0.2.0")])).toContain("no link of it for proxy");
  expect(wanting(both, "offline")).toContain("offline");
});
