// The agent's chart installed by real Helm, and the agent run as its ServiceAccount: what it may do is what the chart
// gave it, and nothing else.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chartFolder, imageRegistry, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InstalledAgent, installAgent, release } from "../fleet/install-agent.ts";

const identitySecret = "fairlead-agent-proxy-identity";

let agent: InstalledAgent;
const undo = new AsyncDisposableStack();
beforeAll(async () => {
  const cluster = undo.use(await leaseCluster({ name: "charts" }));
  agent = undo.use(await installAgent({ cluster }));
});
afterAll(() => undo.disposeAsync());

test("the lines for other surroundings are ones that the chart takes", async () => {
  const [template = ""] = agent.lines.command.match(/^helm .*$/m) ?? [];
  for (const variant of [...agent.lines.variants, { arguments: "" }]) {
    const line = `${template.replace("upgrade --install", "template")} --set-string image.registry=${imageRegistry}`;
    expect((await agent.runLines(`${line} ${variant.arguments}`)).stdout).toContain("kind: Deployment");
  }
});

test("two replicas enroll with one token as one identity, which is kept in the chart's Secret", async () => {
  const { stdout } = await agent.hub.cli(["cluster", "get", "east", "--json"]);
  const { links, identities } = JSON.parse(stdout);
  expect(links).toHaveLength(2);
  expect(identities).toHaveLength(1);
  const { data } = await secretNamed(identitySecret);
  expect(JSON.parse(Buffer.from(data["identity.json"] ?? "", "base64").toString()).issued.cluster).toBe("east");
});

test("kubectl works through the hub with no more than the chart's rights", async () => {
  const { stdout } = await agent.cluster.kubectl(["get", "nodes", "-o", "name"], {
    kubeconfig: agent.peopleKubeconfig,
  });
  expect(stdout).toBe((await agent.cluster.kubectl(["get", "nodes", "-o", "name"])).stdout);
});

test("the account's own rights are these, in its namespace and elsewhere", async () => {
  const everywhere = [
    "groups [] [fairlead:admins] [impersonate]",
    "groups [] [fairlead:operators] [impersonate]",
    "groups [] [fairlead:viewers] [impersonate]",
    "namespaces [] [kube-system] [get]",
    "uids.authentication.k8s.io [] [] [impersonate]",
    "users [] [] [impersonate]",
  ];
  expect(await listRights("default")).toEqual(everywhere);
  const own = [...everywhere, `secrets [] [${identitySecret}] [get update]`].sort();
  expect(await listRights(agent.namespace)).toEqual(own);
});

test.each<[string, string[]]>([
  ["list Secrets", ["get", "secrets"]],
  ["read the join token's Secret", ["get", "secret", "join"]],
  ["create a Secret", ["create", "secret", "generic", "another"]],
  ["delete its own Secret", ["delete", "secret", identitySecret]],
  ["create Pods", ["create", "-f", "-"]],
  ["list Pods", ["get", "pods"]],
  ["read ConfigMaps", ["get", "configmaps"]],
  ["get a namespace that isn't kube-system", ["get", "namespace", "default"]],
  ["list nodes", ["get", "nodes"]],
  ["make a token of its own", ["create", "token", "fairlead-agent-proxy"]],
  ["bind itself to a role", ["create", "clusterrolebinding", "x", "--clusterrole=cluster-admin", "--user=x"]],
  ["act for system:masters", ["get", "pods", "--as=alice", "--as-group=system:masters"]],
  ["act for a group that isn't configured", ["get", "pods", "--as=alice", "--as-group=team:a"]],
  ["act for a ServiceAccount", ["get", "pods", "--as=system:serviceaccount:kube-system:default"]],
  ["act with an extra", ["get", "pods", "--as=alice", "--as-user-extra=scopes=all"]],
])("the account may not %s", async (_what, args) => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "x" },
    spec: { containers: [{ name: "x", image: "x" }] },
  };
  const refused = await agent.asAgent([...inNamespace(), ...args], { input: JSON.stringify(pod), allowFailure: true });
  expect(refused.stderr).toMatch(/\(Forbidden\)|is forbidden/);
  expect(refused.code).toBe(1);
});

describe("what the groups are bound to", () => {
  const attempts = () => [
    ["get", "pods", ...inNamespace()],
    ["get", "secrets", ...inNamespace()],
    ["get", "nodes"],
    ["create", "configmap", "made", "--dry-run=server", "--namespace", "default"],
  ];
  const exits = { viewer: [0, 1, 1, 1], operator: [0, 1, 1, 1], admin: [0, 1, 0, 1] };

  test("is what a user has for whom the account asks", async () => {
    for (const [role, codes] of Object.entries(exits)) {
      const as = ["--as=alice", `--as-group=fairlead:${role}s`];
      const runs = attempts().map((args) => agent.asAgent([...args, ...as], { allowFailure: true }));
      expect(
        (await Promise.all(runs)).map(({ code }) => code),
        role,
      ).toEqual(codes);
    }
  });

  test("is what someone has through the hub who was given the role there", async () => {
    for (const [role, codes] of Object.entries(exits)) {
      const kubeconfig = await agent.signInAs(role);
      const runs = attempts().map((args) => agent.cluster.kubectl(args, { kubeconfig, allowFailure: true }));
      expect(
        (await Promise.all(runs)).map(({ code }) => code),
        role,
      ).toEqual(codes);
    }
    const { stderr } = await agent.cluster.kubectl(["get", "nodes"], {
      kubeconfig: await agent.signInAs("operator"),
      allowFailure: true,
    });
    expect(stderr).toContain('User "robot:r-');
    expect(stderr).toContain('cannot list resource "nodes"');
  });
});

describe("one value for each group widens it", () => {
  beforeAll(async () => {
    const set = ["admins.clusterRole=cluster-admin", "operators.clusterRole=edit"];
    const values = set.flatMap((value) => ["--set", `proxy.defaultGroups.${value}`]);
    const chart = chartFolder("fairlead-agent");
    await agent.helm.run(["upgrade", release, chart, ...inNamespace(), "--reuse-values", "--wait", ...values]);
  });

  test("operators then change what is in namespaces, and admins everything", async () => {
    for (const [role, codes] of Object.entries({ operator: [0, 1, 0], admin: [0, 0, 0] })) {
      const kubeconfig = await agent.signInAs(role);
      const attempts = [
        ["get", "secrets", "--namespace", "default"],
        ["get", "clusterroles"],
        ["create", "configmap", "made", "--dry-run=server", "--namespace", "default"],
      ];
      const runs = attempts.map((args) => agent.cluster.kubectl(args, { kubeconfig, allowFailure: true }));
      expect(
        (await Promise.all(runs)).map(({ code }) => code),
        role,
      ).toEqual(codes);
    }
  });

  test.each([
    ["patch the Deployment", ["scale", "deployment/fairlead-agent-proxy", "--replicas=0"]],
    ["write a policy", ["create", "configmap", "fairlead-agent-proxy-policy", "--from-literal=policy.yaml={}"]],
    ["make a token of the account", ["create", "token", "fairlead-agent-proxy"]],
    ["delete the Secret of the identity", ["delete", "secret", identitySecret, "--wait=false"]],
    ["delete the namespace", ["delete", "namespace", "OWN", "--wait=false"]],
  ])("still no admin may %s of the agent through the hub", async (_what, args) => {
    const own = args.map((word) => (word === "OWN" ? agent.namespace : word));
    const refused = await agent.cluster.kubectl([...inNamespace(), ...own], {
      kubeconfig: agent.peopleKubeconfig,
      allowFailure: true,
    });
    expect(refused.stderr).toContain("rule own namespace");
  });
});

test("an upgrade leaves the identity alone, and new values reach objects and agent", async () => {
  const before = await secretNamed(identitySecret);
  const upgrade = ["upgrade", release, chartFolder("fairlead-agent"), ...inNamespace(), "--reuse-values", "--wait"];
  const policy = ["--set", "proxy.policy.readOnly=true", "--set", "proxy.policy.namespaces.deny={kube-system}"];
  await agent.helm.run([...upgrade, "--set", "proxy.replicas=1", "--set", "commonLabels.team=a", ...policy]);
  const after = await secretNamed(identitySecret);
  expect(after.data).toEqual(before.data);
  expect(after.metadata.labels["team"]).toBe("a");
  const { stdout } = await agent.cluster.kubectl([...inNamespace(), "get", "poddisruptionbudgets", "-o", "name"]);
  expect(stdout).toBe("");

  const path = "jsonpath={.data.policy\\.yaml}";
  const map = await agent.cluster.kubectl([
    ...inNamespace(),
    "get",
    "configmap",
    "fairlead-agent-proxy-policy",
    "-o",
    path,
  ]);
  await writeFile(join(agent.folder, "policy.yaml"), map.stdout);
  await agent.stopReplicas();
  await agent.startReplica("third");
  const throughHub = (...args: string[]) =>
    agent.cluster.kubectl(args, { kubeconfig: agent.peopleKubeconfig, allowFailure: true });
  expect((await throughHub("create", "configmap", "made", "-n", "default")).stderr).toContain("rule readOnly");
  expect((await throughHub("get", "pods", "-n", "kube-system")).stderr).toContain("rule namespaces.deny");
  expect((await throughHub("get", "pods", ...inNamespace())).code).toBe(0);
});

test("an uninstall takes all of it away, the identity as well", async () => {
  await agent.helm.run(["uninstall", release, ...inNamespace(), "--wait"]);
  const kinds =
    "deployments,secrets,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,networkpolicies";
  const selector = ["-l", `app.kubernetes.io/instance=${release}`];
  const { stdout } = await agent.cluster.kubectl([...inNamespace(), "get", kinds, "-o", "name", ...selector]);
  const left = stdout.split("\n").filter((line) => !/clusterrole/.test(line) || line.includes(agent.namespace));
  expect(left.join("\n").trim()).toBe("");
});

/** Without what everybody may: ask for their own rights, and read discovery documents. */
async function listRights(inside: string): Promise<string[]> {
  const { stdout } = await agent.asAgent(["auth", "can-i", "--list", "--no-headers", "--namespace", inside]);
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith(" ") && !line.startsWith("self"));
  return lines.map((line) => line.replace(/ {2,}/g, " ").trim()).sort();
}

async function secretNamed(name: string) {
  const { stdout } = await agent.cluster.kubectl([...inNamespace(), "get", "secret", name, "-o", "json"]);
  return JSON.parse(stdout) as { data: Record<string, string>; metadata: { labels: Record<string, string> } };
}

function inNamespace(): string[] {
  return ["--namespace", agent.namespace];
}
