import { expect, test } from "vitest";
import { formatFix } from "../../fixes/index.ts";
import { fairlead } from "../../profiles/index.ts";
import { examineCluster } from "../../report/index.ts";
import { type ClusterObject, snapshotOfObjects } from "../../snapshot/index.ts";
import { fixesOf, hostileVariants, runFixes, smuggledOptions } from "../../testing/hostile-words.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";

const upstream = [...readStandIn("argocd/upstream"), podOf("argocd-server"), podOf("argocd-application-controller")];
const chart = readStandIn("argocd/chart");
const gitops = readStandIn("argocd/openshift-gitops");

test.each([
  ["upstream's manifests", upstream, "3.5.7", { is: "manifests" }],
  ["the chart", chart, "3.4.4", { is: "helm", release: "argocd", chart: "argo-cd-10.1.1" }],
  ["OpenShift GitOps", gitops, undefined, { is: "olm", owner: "openshift-gitops-operator.v1.15.0" }],
])("%s: it is fit", (_name, objects, version, provenance) => {
  const { state, installation, checks } = examine(objects);
  expect(checks.filter(({ verdict }) => verdict.is !== "pass")).toEqual([]);
  expect(checks).toHaveLength(6);
  expect({ state, version: installation.version }).toEqual({ state: "healthy", version });
  expect(installation.provenance).toMatchObject(provenance);
});

type Change = Parameters<typeof changed>[3];

const cases: readonly [name: string, objects: ClusterObject[], check: string, verdict: string, observed: RegExp][] = [
  ["no namespaces are set", setData("argocd-cmd-params-cm", {}), "application-namespaces", "fail", /^not set$/],
  [
    "the flag is quoted, as a shell would have it",
    setArgs('--application-namespaces="*"'),
    "application-namespaces",
    "pass",
    /^\*$/,
  ],
  [
    "the flag counts more than the environment",
    setArgs("--application-namespaces=shop"),
    "application-namespaces",
    "fail",
    /^shop$/,
  ],
  [
    "the last flag counts",
    setArgs("--application-namespaces=a", "--application-namespaces", "*"),
    "application-namespaces",
    "pass",
    /^\*$/,
  ],
  [
    "an expression that takes every name",
    setArgs("--application-namespaces=/^.*$/"),
    "application-namespaces",
    "pass",
    /\/\^\.\*\$\//,
  ],
  [
    "some namespaces are named, and all are asked for",
    setArgs("--application-namespaces=shop-*,/^web-/"),
    "application-namespaces",
    "fail",
    /shop-\*,/,
  ],
  [
    "only the server has the setting",
    setEnv("StatefulSet", "argocd-application-controller"),
    "application-namespaces",
    "fail",
    /^not set$/,
  ],
  ["the AppProject isn't there", without(upstream, "AppProject"), "project", "fail", /isn't there/],
  ["a project takes no other namespaces", setProject({ sourceNamespaces: ["shop"] }), "project", "fail", /^shop$/],
  [
    "a project denies a source",
    setProject({ sourceRepos: ["*", "!https://git.example.com/*"] }),
    "project",
    "fail",
    /^!/,
  ],
  [
    "a project denies a destination",
    setProject({ destinations: [{ namespace: "!kube-system", server: "*" }] }),
    "project",
    "fail",
    /kube-system/,
  ],
  [
    "a project takes no kinds of the cluster",
    setProject({ clusterResourceWhitelist: [] }),
    "project",
    "fail",
    /^none$/,
  ],
  [
    "a project has a blacklist",
    setProject({ namespaceResourceBlacklist: [{ group: "", kind: "Secret" }] }),
    "project",
    "fail",
    /Secret/,
  ],
  [
    "a window keeps deployments waiting",
    setProject({ syncWindows: [{ kind: "deny", schedule: "* * * * *", duration: "1h" }] }),
    "project",
    "fail",
    /deny/,
  ],
  [
    "the ConfigMap changed after the pods started",
    setData("argocd-cmd-params-cm", { "application.namespaces": "*" }, "2026-02-01T00:00:00Z"),
    "restarted",
    "warn",
    /2026-02-01/,
  ],
  [
    "objects are known by a label",
    setData("argocd-cm", { "application.resourceTrackingMethod": "label" }),
    "tracking",
    "warn",
    /^label$/,
  ],
  [
    "an old Argo CD knows objects by a label unless told",
    change("Deployment", "argocd-server", (object) => setImage(object, "argoproj/argocd:v2.14.2")),
    "tracking",
    "warn",
    /2\.14\.2/,
  ],
  [
    "the server's role ends at its own namespace",
    without(upstream, "ClusterRoleBinding"),
    "server-rights",
    "warn",
    /may not create/,
  ],
  [
    "there are two",
    [...upstream, ...gitops.filter(({ kind }) => kind !== "CustomResourceDefinition")],
    "single",
    "warn",
    /^argocd$/,
  ],
];

test.each(cases)("%s", (_name, objects, check, verdict, observed) => {
  const { checks } = examine(objects);
  const report = checks.find((each) => each.check.id === `argocd.${check}`);
  expect(report?.verdict.is).toBe(verdict);
  expect(report?.verdict.evidence[0]?.observed).toMatch(observed);
  expect(
    report?.verdict.is === "pass" || check === "single" || (report?.verdict !== undefined && "fix" in report.verdict),
  ).toBe(true);
});

test("no name, namespace or label of Argo CD becomes a command or an option when people paste a fix", () => {
  const fixes = cases.flatMap(([, objects]) => hostileVariants(objects).flatMap((each) => fixesOf(examine(each))));
  const distinct = [...new Map(fixes.map((fix) => [JSON.stringify(fix), fix])).values()];
  const restarts = distinct.filter((fix) => fix.is === "command" && fix.command.includes("touch stolen"));
  expect(restarts.length).toBeGreaterThan(0);
  const { wasStolen, commands } = runFixes(distinct);
  expect(wasStolen).toBe(false);
  expect(commands.flatMap(smuggledOptions)).toEqual([]);
});

test("what opens Argo CD to more people or places is never run unasked, and says what it costs", () => {
  for (const [, objects] of cases) {
    const opening = examine(objects).checks.filter(({ check }) =>
      ["argocd.project", "argocd.application-namespaces", "argocd.server-rights"].includes(check.id),
    );
    for (const { check, verdict } of opening) {
      if (!("fix" in verdict) || verdict.fix === undefined || verdict.fix.is === "helm-values") continue;
      const text = formatFix(verdict.fix, check.id);
      expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
      expect(text).toMatch(/^# Not run unless you uncomment it\. \S/);
    }
  }
});

test("a ConfigMap that may not be read makes it unknown, and the Role to read it is the fix", () => {
  const snapshot = snapshotOfObjects({
    objects: upstream,
    isComplete: true,
    hidden: new Map([["configmaps", "forbidden"]]),
  });
  const { addons } = examineCluster({ snapshot, ...at });
  const argocd = addons.find(({ id }) => id === "argocd");
  expect(argocd?.state).toBe("unknown");
  expect(argocd?.checks.find(({ check }) => check.id === "argocd.application-namespaces")?.verdict).toMatchObject({
    is: "unknown",
    fix: {
      is: "manifest",
      objects: [
        { kind: "Role", rules: [{ resourceNames: ["argocd-cmd-params-cm"], verbs: ["get"] }] },
        { kind: "RoleBinding" },
      ],
    },
  });
});

test("an expression that could take for ever isn't tried", () => {
  expect(verdictOf(setArgs("--application-namespaces=/(a+)+$/"), "application-namespaces")).toBe("fail");
});

const at = { profile: fairlead, now: new Date("2026-03-01T00:00:00Z") };

function examine(objects: readonly ClusterObject[]) {
  const { addons } = examineCluster({ snapshot: snapshotOfObjects({ objects, isComplete: true }), ...at });
  const report = addons.find(({ id }) => id === "argocd");
  if (!report) throw new Error("Argo CD isn't in the catalogue");
  return report;
}

function verdictOf(objects: readonly ClusterObject[], check: string): string | undefined {
  return examine(objects).checks.find((each) => each.check.id === `argocd.${check}`)?.verdict.is;
}

function change(kind: string, name: string, edit: Change): ClusterObject[] {
  return changed(upstream, kind, name, edit);
}

function setArgs(...args: string[]): ClusterObject[] {
  const server = change("Deployment", "argocd-server", (object) => Object.assign(containerOf(object), { args }));
  return changed(server, "StatefulSet", "argocd-application-controller", (object) =>
    Object.assign(containerOf(object), { args }),
  );
}

function setEnv(kind: string, name: string): ClusterObject[] {
  return change(kind, name, (object) => Object.assign(containerOf(object), { env: [] }));
}

function setData(name: string, data: object, at?: string): ClusterObject[] {
  return change("ConfigMap", name, (object) => {
    Object.assign(object, { data });
    if (at !== undefined) Object.assign(object.metadata, { managedFields: [{ manager: "kubectl", time: at }] });
  });
}

function setProject(fields: object): ClusterObject[] {
  return change("AppProject", "default", (object) => Object.assign(object["spec"] as object, fields));
}

function setImage(object: ClusterObject, image: string): void {
  Object.assign(containerOf(object), { image });
}

function without(objects: readonly ClusterObject[], kind: string): ClusterObject[] {
  return objects.filter((object) => object.kind !== kind);
}

function containerOf(object: ClusterObject): object {
  const { spec } = object as unknown as { spec: { template: { spec: { containers: object[] } } } };
  return spec.template.spec.containers[0] ?? {};
}

function podOf(name: string): ClusterObject {
  const metadata = { name: `${name}-0`, namespace: "argocd", labels: { "app.kubernetes.io/name": name } };
  return { apiVersion: "v1", kind: "Pod", metadata, status: { phase: "Running", startTime: "2026-01-02T00:00:00Z" } };
}
