// People ask for commands, cancel them and ask again; budgets are played by the greedy.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CommandsHarness, type HarnessHub, openCommandsHarness } from "./commands-harness.fixture.ts";

let harness: CommandsHarness;
let hub: HarnessHub;
let cluster: string;
beforeAll(async () => {
  harness = await openCommandsHarness();
  hub = await harness.openHub({ limits: { queue: { commands: 8, bytes: 20_000 } } });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  cluster = await createCluster();
});

async function createCluster(): Promise<string> {
  const name = `c${randomUUID().slice(0, 8)}`;
  await hub.clusters.create({ name, roles: ["execute"] });
  return name;
}

const submit = (more: object = {}, user?: string) => hub.submit({ cluster, ...more }, user);
const claim = async (id: string) => {
  const { commands } = await hub.agent(cluster).claim({ agentInstanceId: "i", most: 16, kinds: ["manifests"] });
  expect(commands.map((one) => one.id)).toContain(id);
};
const post = (id: string, what: "cancel" | "retry", body = {}) =>
  hub.ask("POST", `/api/v1/commands/${id}/${what}`, body);

describe("the same idempotency key", () => {
  it("gives the same command again, at any time and at once", async () => {
    const asked = { cluster, kind: "manifests", spec: { set: "web", manifests: "" }, idempotencyKey: randomUUID() };
    const answers = await Promise.all([1, 2, 3, 4].map(() => hub.ask("POST", "/api/v1/commands", asked)));
    expect(new Set(answers.map(({ json }) => (json as { id: string }).id)).size).toBe(1);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
  });

  it("with another request is refused, and is another key when somebody else has it", async () => {
    const idempotencyKey = randomUUID();
    const { id } = await submit({ idempotencyKey });
    for (const other of [{ dryRun: true }, { priority: 9 }, { spec: { set: "web", manifests: "kind: Pod" } }]) {
      await expect(submit({ idempotencyKey, ...other })).rejects.toMatchObject({
        status: 409,
        code: "COMMAND_IDEMPOTENCY_MISMATCH",
      });
    }
    expect((await submit({ idempotencyKey }, "bob")).id).not.toBe(id);
  });
});

describe("a command that no agent has taken", () => {
  it("says what it waits for: the cluster, an agent that runs commands, the one before it, or its turn", async () => {
    const { id: first } = await submit();
    const { id } = await submit();
    expect((await hub.get(id)).waiting).toEqual({
      for: "cluster",
      clusterState: "never-connected",
      since: expect.stringMatching(/^20/),
    });
    const link = { id: "l1", cluster, connectedAt: Date.now(), notAfter: Date.now() + 60_000, remoteAddress: "" };
    hub.links.push({ ...link, roles: ["observe"] });
    expect((await hub.get(id)).waiting).toEqual({ for: "agent" });
    hub.links.splice(0, 1, { ...link, roles: ["execute"] });
    expect((await hub.get(id)).waiting).toEqual({ for: "target", command: first });
    expect((await hub.get(first)).waiting).toEqual({ for: "turn" });
    await claim(first);
    expect(await hub.get(first)).not.toHaveProperty("waiting");
    hub.links.length = 0;
  });
});

describe("a service account", () => {
  it("is kept, signed for the agent, part of what a key stands for, and asked for again with the command", async () => {
    const idempotencyKey = randomUUID();
    const serviceAccount = "team-a/deployer";
    const { id } = await submit({ serviceAccount, idempotencyKey });
    expect(await hub.get(id)).toMatchObject({ serviceAccount });
    expect((await submit({ serviceAccount, idempotencyKey })).id).toBe(id);
    for (const other of [{}, { serviceAccount: "team-a/other" }])
      await expect(submit({ ...other, idempotencyKey })).rejects.toMatchObject({
        code: "COMMAND_IDEMPOTENCY_MISMATCH",
      });
    const { commands } = await hub.agent(cluster).claim({ agentInstanceId: "i", most: 16, kinds: ["manifests"] });
    const [, payload = ""] = commands[0]?.envelope.split(".") ?? [];
    expect(JSON.parse(Buffer.from(payload, "base64url").toString())).toMatchObject({ id, serviceAccount });
    await post(id, "cancel");
    await post(id, "cancel");
    const plain = await submit({ set: "plain" });
    await post(plain.id, "cancel");
    expect((await post(plain.id, "retry")).json).not.toHaveProperty("serviceAccount");
  });

  it.each(["deployer", "team/a/b", "Team/x", "team/", "team/x\n", "team/x:y"])(
    "%j isn't one",
    async (serviceAccount) => {
      await expect(submit({ serviceAccount })).rejects.toMatchObject({ status: 400 });
    },
  );
});

describe("a flow", () => {
  const flow = (steps: object[], more: object = {}) =>
    submit({ kind: "flow", spec: { name: "release", namespace: "shop", steps, ...more } });
  const wait = { apiVersion: "v1", kind: "Pod", name: "x", until: "ready" };

  it("is taken with steps of kinds that there are, checked as far as they are known", async () => {
    const later = { id: "b", wait: { ...wait, timeoutSeconds: "${steps.a.outputs.seconds}" } };
    const { target, namespace } = await flow([{ id: "a", wait, if: "always()" }, later]);
    expect([target, namespace]).toEqual(["flow/shop/release", "shop"]);
  });

  it.each([
    ["no step", []],
    ["51", Array.from({ length: 51 }, (_, index) => ({ id: `s${index}`, wait }))],
    [
      "two of an id",
      [
        { id: "a", wait },
        { id: "a", wait },
      ],
    ],
    ["an unknown kind", [{ id: "a", shell: {} }]],
    ["two kinds", [{ id: "a", wait, manifests: { set: "x", manifests: "" } }]],
    ["a spec that isn't one", [{ id: "a", wait: { ...wait, until: "gone" } }]],
    ["a flow in it", [{ id: "a", flow: { name: "x", steps: [] } }]],
  ])("with %s is refused", async (_name, steps) => {
    await expect(flow(steps)).rejects.toMatchObject({ status: 400 });
  });
});

describe("a queue", () => {
  it("takes so many commands for a cluster, half of them from one person, and others notice nothing", async () => {
    for (let index = 0; index < 4; index++) await submit({ set: `a-${index}` });
    await expect(submit()).rejects.toMatchObject({ status: 429, code: "COMMAND_QUEUE_FULL" });
    for (let index = 0; index < 4; index++) await submit({ set: `b-${index}` }, "bob");
    await expect(submit({}, "carol")).rejects.toMatchObject({ code: "COMMAND_QUEUE_FULL" });
    expect((await hub.submit({ cluster: await createCluster() })).state).toBe("queued");
  });

  it("takes those that come at once in one go, as many as there is room for, and each in one piece", async () => {
    const asked = Array.from({ length: 7 }, (_, index) => submit({ set: `at-once-${index}` }));
    const answers = await Promise.allSettled(asked);
    const taken = answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(taken.map(({ target, state }) => [target.split("/").at(-1), state])).toEqual(
      [0, 1, 2, 3].map((index) => [`at-once-${index}`, "queued"]),
    );
    for (const { id } of taken) expect((await hub.get(id)).history.map(({ to }) => to)).toEqual(["queued"]);
    for (const one of answers.slice(4))
      expect(one).toMatchObject({ status: "rejected", reason: { code: "COMMAND_QUEUE_FULL" } });
  });

  it("takes so many bytes of specs", async () => {
    const spec = { set: "web", manifests: "#".repeat(9_000) };
    await submit({ spec });
    await expect(submit({ spec })).rejects.toMatchObject({ code: "COMMAND_QUEUE_FULL" });
    await submit({ spec }, "bob");
    await expect(submit({ spec }, "carol")).rejects.toMatchObject({ code: "COMMAND_QUEUE_FULL" });
  });

  it("takes no spec of more than 3 MiB", async () => {
    const spec = { set: "web", manifests: "#".repeat(3 * 1024 * 1024) };
    await expect(submit({ spec })).rejects.toMatchObject({ status: 413, code: "COMMAND_SPEC_TOO_LARGE" });
  });

  it("is for clusters that have, or may get, an agent with the role", async () => {
    hub.links.push({
      id: "lnk",
      cluster,
      roles: ["observe"],
      connectedAt: 1,
      notAfter: 1,
      remoteAddress: "",
    });
    await expect(submit()).rejects.toMatchObject({ status: 409, code: "COMMAND_NO_AGENT" });
    hub.links.push({
      id: "lnk2",
      cluster,
      roles: ["execute"],
      connectedAt: 1,
      notAfter: 1,
      remoteAddress: "",
    });
    expect((await submit()).state).toBe("queued");
    await expect(submit({ cluster: "nowhere" })).rejects.toMatchObject({ status: 404, code: "CLUSTER_NOT_FOUND" });
  });

  it.each([
    ["another kind", { kind: "helm" }],
    ["a spec with what isn't known", { spec: { set: "web", manifests: "", prun: true } }],
    ["a set without a name", { spec: { set: "", manifests: "" } }],
    ["a deadline that is over", { deadlineSeconds: 0 }],
    ["a priority that there isn't", { priority: 10 }],
  ])("refuses %s", async (_what, wrong) => {
    await expect(submit(wrong)).rejects.toMatchObject({ status: 400, code: "COMMAND_REQUEST_INVALID" });
  });
});

describe("a spec that no agent could carry out", () => {
  it.each([
    ["a NUL", { set: "web", manifests: "kind: Pod\u0000" }],
    ["aliases that unfold into very much", { set: "web", manifests: bomb }],
  ])("is refused for %s", async (_what, spec) => {
    await expect(submit({ spec })).rejects.toMatchObject({ status: 400, code: "COMMAND_SPEC_UNUSABLE" });
  });
});

const repeated = (name: string, of: string): string => `${name}: &${name} [${`*${of},`.repeat(9)}1]`;
const bomb = ["a: &a [1]", ...["ba", "cb", "dc", "ed", "fe"].map(([name = "", of = ""]) => repeated(name, of))].join(
  "\n",
);

describe("cancelling", () => {
  it("ends a queued command at once, and no other command of it", async () => {
    const { id } = await submit();
    expect((await post(id, "cancel")).json).toMatchObject({ state: "cancelled" });
    expect(await post(id, "cancel")).toMatchObject({ status: 409, json: { code: "COMMAND_ENDED" } });
    expect((await hub.get(id)).history).toMatchObject([{ to: "queued" }, { to: "cancelled", actor: "alice" }]);
  });

  it("asks the agent of a claimed one, and more firmly when asked again; what it reports is what came of it", async () => {
    const { id } = await submit();
    await claim(id);
    expect((await post(id, "cancel")).json).toMatchObject({ state: "claimed", cancellation: "graceful" });
    expect((await post(id, "cancel")).json).toMatchObject({ state: "claimed", cancellation: "forced" });
    await hub.agent(cluster).report({ id, epoch: 1n, sequence: 1n, state: "succeeded" });
    expect(await hub.get(id)).toMatchObject({ state: "succeeded" });
    expect((await hub.get(id)).cancellation).toBeUndefined();
  });
});

describe("retrying", () => {
  it("is a new command with the same spec, of one that ended without success", async () => {
    const { id } = await submit({ spec: { set: "web", namespace: "shop", manifests: "kind: Pod" }, dryRun: true });
    expect(await post(id, "retry")).toMatchObject({ status: 409, json: { code: "COMMAND_NOT_RETRYABLE" } });
    await post(id, "cancel");
    const again = await post(id, "retry", { priority: 1 });
    expect(again).toMatchObject({ status: 201, json: { retryOf: id, state: "queued", dryRun: true, priority: 1 } });
    const shown = await hub.get((again.json as { id: string }).id);
    expect(shown).toMatchObject({ target: "manifests/shop/web", spec: { manifests: "kind: Pod" } });
    await claim(shown.id);
    await hub.agent(cluster).report({ id: shown.id, epoch: 1n, sequence: 1n, state: "succeeded" });
    expect(await post(shown.id, "retry")).toMatchObject({ json: { code: "COMMAND_NOT_RETRYABLE" } });
  });
});

describe("a list", () => {
  it("has the newest first, page by page, and what a filter lets through", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) ids.unshift((await submit({ set: `s${index}` })).id);
    const seen: string[] = [];
    let cursor = "";
    for (let page = 0; page < 3; page++) {
      const { json } = await hub.ask("GET", `/api/v1/commands?cluster=${cluster}&limit=2${cursor}`);
      const { items, next } = json as { items: { id: string }[]; next?: string };
      seen.push(...items.map(({ id }) => id));
      if (next === undefined) break;
      cursor = `&cursor=${next}`;
    }
    expect(seen).toEqual(ids);
    await post(ids[0] ?? "", "cancel");
    const only = await hub.ask("GET", `/api/v1/commands?cluster=${cluster}&state=cancelled,failed&requester=alice`);
    expect(only.json).toMatchObject({ items: [{ id: ids[0] }] });
    expect((await hub.ask("GET", "/api/v1/commands?state=x")).json).toMatchObject({ code: "COMMAND_REQUEST_INVALID" });
  });
});

describe("time", () => {
  it("ends what no agent claimed until its deadline", async () => {
    const { id } = await submit({ deadlineSeconds: 1 });
    await expect.poll(async () => (await hub.get(id)).state).toBe("expired");
    expect((await hub.get(id)).trouble).toMatchObject({ code: "COMMAND_DEADLINE_PASSED" });
  });
});

describe("a cluster that is revoked or removed", () => {
  it("takes what is queued for it along, and what its agents report after", async () => {
    const [begun, queued] = [await submit({ set: "a" }), await submit({ set: "a" })];
    await claim(begun.id);
    await hub.clusters.revoke(cluster, "stolen");
    await expect.poll(async () => (await hub.get(queued.id)).state).toBe("cancelled");
    await expect.poll(async () => (await hub.get(begun.id)).state).toBe("lost");
    const said = { id: begun.id, epoch: 1n, sequence: 1n, state: "succeeded" };
    expect((await hub.agent(cluster).report(said)).accepted).toBe(false);
    await expect(submit()).rejects.toMatchObject({ code: "COMMAND_CLUSTER_REVOKED" });
    await hub.clusters.remove(cluster);
    expect(await hub.get(queued.id)).toMatchObject({ cluster, trouble: { code: "COMMAND_WITHDRAWN" } });
  });
});
