// Tests the promises of every kind of command alike, on a real API server with real programs.
import { dirname } from "node:path";
import type { FairleadError } from "@fairlead/kernel";
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { createNamespace, ensureTools, sharedCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandRunners, createCommandRunners } from "./runners.ts";
import { createTestTask, type TestTask, type TestTaskOptions } from "./task.fixture.ts";
import type { CommandRunner } from "./types.ts";

const canary = "canary-6c1f0b7d9e";
const undo = new AsyncDisposableStack();
let kube: KubeClient;
let namespace: string;
let environment: Readonly<Record<string, string | undefined>>;

beforeAll(async () => {
  const [cluster, { helm, tofu }] = await Promise.all([sharedCluster(), ensureTools(["helm", "tofu"])]);
  kube = undo.use(createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
  ({ name: namespace } = undo.use(await createNamespace(cluster, "kinds")));
  environment = { ...process.env, PATH: `${dirname(helm)}:${dirname(tofu)}:${process.env["PATH"]}` };
  const data = { value: Buffer.from(canary).toString("base64") };
  const body = { apiVersion: "v1", kind: "Secret", metadata: { name: "canary" }, data };
  await kube.request({ method: "POST", path: `/api/v1/namespaces/${namespace}/secrets`, body });
});
afterAll(() => undo.disposeAsync());

/** Each makes one object, which holds the value of a Secret. */
const kinds: Readonly<Record<keyof CommandRunners, { specOf(name: string): object; effectOf(name: string): string }>> =
  {
    manifests: {
      specOf: (name) => ({ set: name, namespace, manifests: configMap(name, reference()) }),
      effectOf: (name) => `configmaps/${name}`,
    },
    helm: {
      specOf: (name) => ({
        release: name,
        namespace,
        values: { secret: reference() },
        chart: {
          files: {
            "Chart.yaml": "apiVersion: v2\nname: kinds\nversion: 1.0.0\n",
            "templates/all.yaml": configMap("{{ .Release.Name }}", "{{ .Values.secret }}"),
          },
        },
      }),
      effectOf: (name) => `configmaps/${name}`,
    },
    tofu: {
      specOf: (name) => ({
        name,
        namespace,
        variables: { secret: reference() },
        outputs: { secret: name },
        source: { files: { "main.tf": configuration } },
      }),
      effectOf: (name) => `secrets/${name}`,
    },
    flow: {
      specOf: (name) => ({
        name,
        namespace,
        steps: [{ id: "only", manifests: { set: name, manifests: configMap(name, reference()) } }],
      }),
      effectOf: (name) => `configmaps/${name}`,
    },
  };

describe.each(Object.keys(kinds) as (keyof CommandRunners)[])("a command of the kind %s", (kind) => {
  const { specOf, effectOf } = kinds[kind];
  const runner = createCommandRunners()[kind] as CommandRunner;
  const taskOf = (name: string, options: Partial<TestTaskOptions> = {}): TestTask =>
    createTestTask({ kube, environment, ...options, spec: runner.parse(specOf(name)) });

  test("is refused when its spec isn't one", () => {
    for (const spec of [{}, [], "text", null, { ...specOf("none"), nonsense: true }])
      expect(() => runner.parse(spec)).toThrow(expect.objectContaining({ code: "COMMAND_SPEC_INVALID" }));
  });

  test("changes nothing when it is planned, does it once, and then has nothing left to do", async () => {
    const [name, effect] = [`${kind}-done`, effectOf(`${kind}-done`)];
    const planned = await runner.plan(taskOf(name, { id: "cmd_plan" }));
    expect(planned).toMatchObject({ isEmpty: false, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await versionOf(effect)).toBeUndefined();

    const task = taskOf(name);
    expect((await runner.run(task)).failure).toBeUndefined();
    const version = await versionOf(effect);
    expect(version).toBeDefined();
    expect(task.concealed).toContain(canary);
    expect((await runner.plan(taskOf(name, { id: "cmd_again" }))).isEmpty).toBe(true);

    // The first agent died after it was done and before it could say so.
    const next = taskOf(name, { epoch: 2, record: task.record.json });
    expect((await runner.run(next)).failure).toBeUndefined();
    expect(await versionOf(effect)).toBe(version);
  });

  test("isn't carried out by the approval of another plan", async () => {
    const task = taskOf(`${kind}-other`, { approvedDigest: "0".repeat(64) });
    expect(await codeOf(runner, task)).toBe("COMMAND_PLAN_STALE");
    expect(await versionOf(effectOf(`${kind}-other`))).toBeUndefined();
  });

  test("does nothing that is cancelled before it begins, or whose lease is lost", async () => {
    const name = `${kind}-ended`;
    const cancelled = taskOf(name);
    cancelled.cancel();
    expect(await codeOf(runner, cancelled)).toBe("COMMAND_CANCELLED");
    const lost = taskOf(name);
    lost.lose();
    expect(await codeOf(runner, lost)).toBe("COMMAND_LEASE_LOST");
    expect(await versionOf(effectOf(name))).toBeUndefined();
  });
});

async function codeOf(runner: CommandRunner, task: TestTask): Promise<string | undefined> {
  const ended = await runner.run(task).catch((thrown: unknown) => ({ failure: thrown as FairleadError }));
  return ended.failure?.code;
}

/** Undefined: it isn't there. */
async function versionOf(path: string): Promise<string | undefined> {
  const found = await kube
    .request<{ metadata: { resourceVersion: string } }>({ path: `/api/v1/namespaces/${namespace}/${path}` })
    .catch(() => undefined);
  return found?.metadata.resourceVersion;
}

function reference(): string {
  return `\${secret:${namespace}/canary/value}`;
}

function configMap(name: string, secret: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  secret: "${secret}"\n`;
}

const configuration = `
variable "secret" {
  type      = string
  sensitive = true
}
resource "terraform_data" "kinds" {
  input = var.secret
}
output "secret" {
  value     = terraform_data.kinds.output
  sensitive = true
}
`;
