// Real Helm renders the charts, and our own programs and the charts' schemas read the result.
import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  chartFolder,
  type Helm,
  type Manifest,
  programArgs,
  readPodProgram,
  repoRoot,
  runCommand,
} from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type ChartRenderer, ofKind, openRenderer } from "../fleet/render-charts.ts";

const token = `flj_${"a".repeat(8)}_${"b".repeat(26)}_${"c".repeat(64)}`;
const { version } = JSON.parse(readFileSync(join(repoRoot, "packages", "hub", "package.json"), "utf8"));

let charts: ChartRenderer;
let helm: Helm;
beforeAll(async () => {
  charts = await openRenderer();
  helm = charts.helm;
});
afterAll(() => charts?.[Symbol.asyncDispose]());

describe.each(["fairlead-agent", "fairlead-hub"] as const)("%s", (chart) => {
  test("passes Helm's strict lint with each of its example values", async () => {
    const folder = join(chartFolder(chart), "ci");
    const examples = await readdir(folder);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const { stdout } = await helm.run(["lint", "--strict", chartFolder(chart), "--values", join(folder, example)]);
      expect(stdout).toContain("0 chart(s) failed");
      expect((await helm.render({ chart, args: ["--values", join(folder, example)] })).length).toBeGreaterThan(4);
    }
  });

  test("is of the version that its programs are of", async () => {
    const { stdout } = await helm.run(["show", "chart", chartFolder(chart)]);
    expect(stdout).toContain(`\nversion: ${version}\n`);
    expect(stdout).toContain(`appVersion: ${version}\n`);
  });

  test("runs as nobody, writes nowhere but on volumes, and may not become more", async () => {
    const [workload] = ofKind(await charts.render(chart), "Deployment", "StatefulSet");
    const { spec } = workload?.["spec"].template ?? {};
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(spec.enableServiceLinks).toBe(false);
    expect(spec.hostNetwork ?? spec.hostPID ?? spec.hostIPC).toBeUndefined();
    for (const container of spec.containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        privileged: false,
        capabilities: { drop: ["ALL"] },
      });
      expect(container.livenessProbe.httpGet.path).toBe("/healthz");
      expect(container.readinessProbe.httpGet.path).toBe("/readyz");
      expect(container.resources.limits.memory).toBeTruthy();
    }
  });
});

test("the agent's rights are these and no others", async () => {
  const objects = await charts.render("fairlead-agent", {
    proxy: { impersonate: { users: ["alice"], groups: ["team:a"], extras: ["example.com/team"] } },
  });
  const roles = ofKind(objects, "ClusterRole").filter(({ metadata }) => !metadata.name.endsWith("-reader"));
  expect(roles.map((role) => role["rules"])).toEqual([
    [
      { apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["alice"] },
      {
        apiGroups: [""],
        resources: ["groups"],
        verbs: ["impersonate"],
        resourceNames: ["fairlead:admins", "fairlead:operators", "fairlead:viewers", "team:a"],
      },
      { apiGroups: ["authentication.k8s.io"], resources: ["uids"], verbs: ["impersonate"] },
      { apiGroups: ["authentication.k8s.io"], resources: ["userextras/example.com/team"], verbs: ["impersonate"] },
      { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
    ],
  ]);
  expect(ofKind(objects, "Role").map((role) => role["rules"])).toEqual([
    [
      {
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: ["fairlead-agent-proxy-identity"],
        verbs: ["get", "update"],
      },
    ],
  ]);
});

test("unless more is chosen, the hub's groups read, and neither they nor the agent reach Secrets or system: names", async () => {
  const objects = await charts.render("fairlead-agent");
  expect(bindingsOf(objects)).toEqual([
    ["view", "fairlead:admins"],
    ["view", "fairlead:operators"],
    ["view", "fairlead:viewers"],
    ["fairlead:fairlead-agent-proxy", "fairlead-agent-proxy"],
    ["fairlead:fairlead-agent-reader", "fairlead:admins"],
  ]);
  const reader = ofKind(objects, "ClusterRole").find(({ metadata }) => metadata.name.endsWith("-reader"));
  for (const { verbs, resources } of reader?.["rules"] ?? []) {
    expect(verbs).toEqual(["get", "list", "watch"]);
    expect(resources).not.toContain("secrets");
  }
  for (const name of ["system:masters", "system:nodes", "system:serviceaccount:kube-system:x"]) {
    await charts.refuse("fairlead-agent", { proxy: { impersonate: { groups: [name] } } });
    await charts.refuse("fairlead-agent", { proxy: { impersonate: { users: [name] } } });
  }
  const widened = await charts.render("fairlead-agent", {
    proxy: { defaultGroups: { admins: { clusterRole: "cluster-admin" } } },
  });
  expect(bindingsOf(widened)).toContainEqual(["cluster-admin", "fairlead:admins"]);
});

test("the agent's policy allows the extras that it was given the right to, unless it says which itself", async () => {
  const policyOf = async (proxy: object): Promise<unknown> => {
    const objects = await charts.render("fairlead-agent", { proxy });
    const [deployment] = ofKind(objects, "Deployment");
    const map = ofKind(objects, "ConfigMap").find(({ metadata }) => metadata.name === "fairlead-agent-proxy-policy");
    expect(JSON.stringify(deployment).includes("--policy-file")).toBe(map !== undefined);
    return map && parse(map["data"]["policy.yaml"]);
  };
  const impersonate = { extras: ["example.com/team"] };
  expect(await policyOf({})).toBeUndefined();
  expect(await policyOf({ impersonate })).toEqual({ extras: { allow: ["example.com/team"] } });
  const own = { readOnly: true, extras: { allow: [] }, uids: { allow: ["corp-*"] }, users: { allow: ["*@corp"] } };
  expect(await policyOf({ impersonate, policy: own })).toEqual(own);
});

test("each default group can be left out, or be bound elsewhere, and so can all of the rights", async () => {
  const groups = {
    viewers: { enabled: false },
    operators: { clusterRole: "" },
    admins: { clusterRole: "own-role", clusterObjects: false },
  };
  const objects = await charts.render("fairlead-agent", { proxy: { defaultGroups: groups } });
  const impersonated = ofKind(objects, "ClusterRole")[0]?.["rules"][1].resourceNames;
  expect(impersonated).toEqual(["fairlead:admins", "fairlead:operators"]);
  expect(bindingsOf(objects)).toEqual([
    ["own-role", "fairlead:admins"],
    ["fairlead:fairlead-agent-proxy", "fairlead-agent-proxy"],
  ]);
  const none = { viewers: { enabled: false }, operators: { enabled: false }, admins: { enabled: false } };
  const groupless = await charts.render("fairlead-agent", { proxy: { defaultGroups: none } });
  expect(ofKind(groupless, "ClusterRole")[0]?.["rules"].map((rule: Manifest) => rule["resources"][0])).toEqual([
    "users",
    "uids",
    "namespaces",
  ]);
  const rightless = await charts.render("fairlead-agent", { rbac: { create: false } });
  expect(rightless.filter(({ apiVersion }) => apiVersion.startsWith("rbac."))).toEqual([]);
});

function bindingsOf(objects: readonly Manifest[]): unknown[] {
  return ofKind(objects, "ClusterRoleBinding").map(({ roleRef, subjects }) => [roleRef.name, subjects[0].name]);
}

test("the agent may call DNS, the hub and the API server, and nobody may call it", async () => {
  const ports = async (values: object) => {
    const [policy] = ofKind(await charts.render("fairlead-agent", values), "NetworkPolicy");
    expect(policy?.["spec"]).toMatchObject({ policyTypes: ["Ingress", "Egress"], ingress: [] });
    return policy?.["spec"].egress.map((rule: Manifest) => rule["ports"].map(({ port }: { port: number }) => port));
  };
  expect(await ports({})).toEqual([[53, 53], [8444], [443, 6443]]);
  expect(await ports({ hub: { url: "wss://[2001:db8::1]" } })).toEqual([[53, 53], [443], [443, 6443]]);
  const proxied = { hub: { httpsProxy: { url: "http://proxy.example.com:3128" } } };
  expect(await ports(proxied)).toEqual([[53, 53], [3128], [443, 6443]]);
  const hidden = { hub: { httpsProxy: { existingSecret: "proxy" } }, networkPolicy: { hubPorts: [8080] } };
  expect(await ports(hidden)).toEqual([[53, 53], [8080], [443, 6443]]);
});

test("a packed chart carries what an installation needs, and no examples", async () => {
  for (const chart of ["fairlead-agent", "fairlead-hub"] as const) {
    const folder = dirname(await helm.writeValues({}));
    const { stdout } = await helm.run(["package", chartFolder(chart), "--destination", folder]);
    const archive = stdout.trim().split(" ").at(-1) ?? "";
    const { stdout: listed } = await runCommand("tar", ["-tzf", archive], { env: { PATH: process.env["PATH"] ?? "" } });
    const names = listed.trim().split("\n");
    expect(names).toContain(`${chart}/values.schema.json`);
    expect(names).toContain(`${chart}/README.md`);
    expect(names.filter((name) => name.includes("/ci/"))).toEqual([]);
  }
});

test("one replica has no disruption budget, two leave one when nodes are drained", async () => {
  const [budget] = ofKind(await charts.render("fairlead-agent"), "PodDisruptionBudget");
  expect(budget?.["spec"]).toMatchObject({ minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" });
  const single = await charts.render("fairlead-agent", { proxy: { replicas: 1 } });
  expect(ofKind(single, "PodDisruptionBudget")).toEqual([]);
});

test("a token given as a file is in one Secret and nowhere else", async () => {
  const path = await helm.writeValues({});
  await writeFile(path, `${token}\n`);
  const objects = await helm.render({
    chart: "fairlead-agent",
    args: ["--set-string", "hub.url=https://hub.example.com", "--set-file", `token.value=${path}`],
  });
  const carriers = objects.filter((object) => JSON.stringify(object).includes(Buffer.from(token).toString("base64")));
  expect(carriers.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([["Secret", "fairlead-agent-token"]]);
  expect(JSON.stringify(objects)).not.toContain(token);
});

test("the agent's pod runs what the agent understands, in every variant", async () => {
  for (const values of [
    {},
    { logLevel: "debug", drain: "5s", health: { host: "::", port: 9000 } },
    { hub: { httpsProxy: { url: "http://proxy:3128", noProxy: ".svc,10.0.0.0/8" }, caBundle: { configMap: "ca" } } },
    { hub: { caBundle: { system: true } } },
  ]) {
    const [deployment] = ofKind(await charts.render("fairlead-agent", values), "Deployment");
    if (!deployment) throw new Error("there is no Deployment");
    const { args, env } = readPodProgram(deployment);
    const printed = JSON.parse((await runProgram("agent", [...args, "--print-config"], env)).stdout);
    expect(printed).toMatchObject({
      hub: "https://hub.example.com:8444",
      identitySecret: "fairlead-agent-proxy-identity",
    });
    for (const arg of args) expect(JSON.stringify(printed)).toContain(arg.replace(/^--[a-z-]+=/, ""));
  }
});

test.each([
  ["by the chart's version", {}, {}, `:${version}`],
  ["by the tag of both", { tag: "1.2.3" }, {}, ":1.2.3"],
  ["by a tag of its own", { tag: "1.2.3" }, { tag: "1.2.4" }, ":1.2.4"],
  ["by a digest of its own", { digest: digest("a") }, { tag: "1.2.4", digest: digest("b") }, `@${digest("b")}`],
  ["never by the plain image's digest", { digest: digest("a") }, {}, `:${version}`],
])("commands have an image of their own, %s", async (_, image, own, pinned) => {
  const [plain, execute] = await imagesOf(image, own);
  expect(execute).toBe(`registry.example.com/fairlead/agent-execute${pinned}`);
  expect(plain).toMatch(/^registry\.example\.com\/fairlead\/agent[:@]/);
});

test("commands that run no programs may have the plain image, as it is pinned", async () => {
  const [plain, execute] = await imagesOf({ digest: digest("a") }, { repository: "fairlead/agent" });
  expect([plain, execute]).toEqual(Array(2).fill(`registry.example.com/fairlead/agent@${digest("a")}`));
});

/** The images of the roles proxy and execute. */
async function imagesOf(image: object, own: object): Promise<string[]> {
  const rights = { boundElsewhere: true };
  const values = { image, execute: { enabled: true, rights, image: own } };
  const objects = await charts.render("fairlead-agent", values);
  const byRole = new Map(
    ofKind(objects, "Deployment").map(({ metadata, spec }) => [
      metadata.labels?.["app.kubernetes.io/component"],
      spec.template.spec.containers[0].image,
    ]),
  );
  return ["proxy", "execute"].map((role) => byRole.get(role));
}

function digest(letter: string): string {
  return `sha256:${letter.repeat(64)}`;
}

test("the agent takes the policy that the chart writes, and goes on to look for its cluster", async () => {
  const example = join(chartFolder("fairlead-agent"), "ci", "full-values.yaml");
  const objects = await helm.render({ chart: "fairlead-agent", args: ["--values", example] });
  const path = await helm.writeValues({});
  const maps = ofKind(objects, "ConfigMap").map(({ data }) => data);
  await writeFile(path, maps.find((data) => "policy.yaml" in data)["policy.yaml"]);
  const start = ["--hub", "https://127.0.0.1:9", "--policy-file", path];
  const taken = await runProgram("agent", start, {}, { allowFailure: true });
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining("CONFIG_CLUSTER_ACCESS_MISSING") });
  await writeFile(path, "readonly: true");
  expect((await runProgram("agent", start, {}, { allowFailure: true })).stderr).toContain("POLICY");
});

test("the hub's file is one that the hub understands, whatever is set", async () => {
  const config = {
    logLevel: "warn",
    drain: "20s",
    auditLog: "-",
    linkCredit: "1Gi",
    certificateTtl: "1h",
  };
  const objects = await charts.render("fairlead-hub", { config, tls: { existingSecret: "certificate" } });
  const [map] = ofKind(objects, "ConfigMap");
  const path = await helm.writeValues({});
  await writeFile(path, map?.["data"]["hub.yaml"]);
  const { stdout } = await runProgram("hub", ["--config", path, "--print-config"]);
  expect(parse(stdout)).toMatchObject({
    listen: "0.0.0.0:8443",
    agentListen: "0.0.0.0:8444",
    dataDir: "/var/lib/fairlead-hub/data",
    publicUrl: "https://hub.example.com",
    agentPublicUrl: "https://hub.example.com:8444",
    ...config,
  });
  const [stateful] = ofKind(objects, "StatefulSet");
  expect(stateful?.["spec"]).toMatchObject({ replicas: 1 });
  expect(stateful?.["spec"].template.spec.terminationGracePeriodSeconds).toBe(65);
});

test("the hub understands the file that each of the chart's examples becomes", async () => {
  const folder = join(chartFolder("fairlead-hub"), "ci");
  for (const example of await readdir(folder)) {
    const objects = await helm.render({ chart: "fairlead-hub", args: ["--values", join(folder, example)] });
    const path = await helm.writeValues({});
    const file: string = ofKind(objects, "ConfigMap")[0]?.["data"]["hub.yaml"];
    await writeFile(path, file);
    const { stdout } = await runProgram("hub", ["--config", path, "--print-config"]);
    expect(parse(stdout)).toMatchObject(parse(file));
  }
});

test("the chart offers each setting of the hub that isn't the chart's own to make", async () => {
  const { stdout } = await runProgram("hub", ["--help"]);
  const flags = [...stdout.matchAll(/^ +(?:-\w, )?--([a-z-]+)/gm)].map(([, flag = ""]) => flag);
  const settings = flags.map((flag) => flag.replace(/-[a-z]/g, (text) => text.slice(1).toUpperCase()));
  const schema = JSON.parse(await readFile(join(chartFolder("fairlead-hub"), "values.schema.json"), "utf8"));
  const made = [
    "dataDir",
    "declarations",
    "caCertFile",
    "caKeyFile",
    "nextCaCertFile",
    "nextCaKeyFile",
    "databaseUrlFile",
    "databaseCaFile",
    "busListenUrlFile",
    "busNatsUrl",
    "busNatsCaFile",
    "busNatsCertFile",
    "busNatsKeyFile",
    "busNatsCredentialsFile",
    "busNatsSubjectPrefix",
    "hubAddress",
    "hubNamespace",
    "inMemory",
    "listen",
    "metricsListen",
    "agentListen",
    "publicUrl",
    "agentPublicUrl",
    "tlsCertFile",
    "tlsKeyFile",
    "keyEncryptionKeyFile",
    "previousKeyEncryptionKeyFile",
    "argoKubeconfig",
    "argoSharedRedis",
    "argoSharedRepoServer",
    "argoShareWith",
    "argoRedisListen",
    "argoRedisPasswordFile",
    "argoRedisTlsCertFile",
    "argoRedisTlsKeyFile",
    "argoRedisUpstream",
    "argoRedisUpstreamUsername",
    "argoRedisUpstreamPasswordFile",
    "argoRedisUpstreamCaFile",
    "oidcClientSecretFile",
    "oidcCaFile",
    "postgresSocketDir",
    // The image's.
    "postgresBinDir",
  ];
  // A file in a pod would be read by nobody: the log has the token once.
  const none = ["adminTokenOut", "databaseUrl", "busListenUrl", "config", "printConfig", "version", "help"];
  const offered = [...Object.keys(schema.properties.config.properties), ...made, ...none];
  expect(settings.length).toBeGreaterThan(10);
  expect(offered.sort()).toEqual(settings.sort());
});

function runProgram(
  program: "hub" | "agent",
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: { allowFailure?: boolean } = {},
) {
  return runCommand(process.execPath, [...programArgs(program), ...args], { ...options, env });
}
