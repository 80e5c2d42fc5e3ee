// Templates on real hubs: who may use them, and what comes of it.
import { randomUUID } from "node:crypto";
import type { Command, Rollout, RolloutClusterList, TemplateDetail } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { holdTransaction, untilSomebodyWaits } from "../../platform/store/hold-transaction.fixture.ts";
import {
  type CommandsHarness,
  freeAccess,
  type HarnessAccess,
  type HarnessHub,
  openCommandsHarness,
} from "../commands/commands-harness.fixture.ts";
import { createGraphRunNews, openRollouts } from "../graph-runs/index.ts";

/** `VERB RESOURCE` or `VERB RESOURCE CLUSTER` by name; root may do everything. */
const rights = new Map<string, Set<string>>();
const may: HarnessAccess["may"] = ({ name }, { verb, resource, cluster }) => {
  const own = rights.get(name);
  return name === "root" || own?.has(`${verb} ${resource}`) || own?.has(`${verb} ${resource} ${cluster}`) || false;
};
const access: HarnessAccess = {
  ...freeAccess,
  may,
  require(principal, request) {
    if (!may(principal, request)) throw new FairleadError({ code: "ACCESS_DENIED", message: "No.", httpStatus: 403 });
  },
};

let harness: CommandsHarness;
let hub: HarnessHub;
let name: string;
beforeAll(async () => {
  harness = await openCommandsHarness();
  hub = await openHub();
  await hub.clusters.create({ name: "east", roles: ["execute"], labels: { env: "test" } });
  await hub.clusters.create({ name: "west", roles: ["execute"], labels: { env: "prod" } });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  rights.clear();
  await sql`delete from template`.execute(harness.store.db);
  name = `t${randomUUID().slice(0, 8)}`;
  rights.set("carol", new Set([`use templates/${name} east`]));
});

function openHub(): Promise<HarnessHub> {
  return harness.openHub({
    access,
    templateLimit: 3,
    addRoom(ports) {
      const news = createGraphRunNews(ports.bus, "rollouts");
      const opened = new AsyncDisposableStack();
      return {
        onPartChanged: ({ id }) => news.tell(id),
        routes: (parts) => opened.use(openRollouts({ ...ports, news, parts })).routes,
        [Symbol.asyncDispose]: () => opened.disposeAsync(),
      };
    },
  });
}

const config = {
  kind: "manifests",
  clusters: { all: true },
  parameters: {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", pattern: "^[a-z]{1,10}$" },
      size: { type: "integer", minimum: 1, maximum: 5, default: 2 },
      note: { type: "string" },
    },
  },
  spec: {
    set: "web",
    namespace: "shop",
    objects: [
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "web-${param:name}" },
        data: { size: "${param:size:text}", note: "${param:note}", password: "${secret:shop/web/password}" },
      },
    ],
  },
};
const path = (of = name) => `/api/v1/templates/${of}`;
const put = (body: object = {}, user = "root", of = name) => hub.ask("PUT", path(of), { ...config, ...body }, user);
const use = (parameters: object, more: object = {}, user = "carol") =>
  hub.ask("POST", "/api/v1/commands", { cluster: "east", kind: "template", spec: { name, parameters }, ...more }, user);
const codeOf = ({ json }: { readonly json: unknown }) => (json as { readonly code: string }).code;
const detailOf = ({ json }: { readonly json: unknown }) => (json as { readonly detail: string }).detail;

describe("using a template", () => {
  it("asks the cluster for what the template says, with the values at their places", async () => {
    const { revision } = (await put()).json as TemplateDetail;
    const { status, json } = await use({ name: "one" });
    expect(status).toBe(201);
    const command = json as Command;
    expect(command).toMatchObject({ kind: "manifests", target: "manifests/shop/web", template: { name, revision } });
    const agent = hub.agent("east");
    const { commands } = await agent.claim({ agentInstanceId: "i1", most: 16, kinds: ["manifests"] });
    const [claimed] = commands.filter(({ id }) => id === command.id);
    const [, payload = ""] = (claimed?.envelope ?? "").split(".");
    const { spec } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { spec: { manifests: string } };
    expect(JSON.parse(spec.manifests)).toMatchObject({
      metadata: { name: "web-one" },
      // A member whose parameter has no value is left out.
      data: { size: "2", password: "${secret:shop/web/password}" },
    });
    await agent.report({ id: command.id, epoch: claimed?.epoch ?? 0n, sequence: 1n, state: "succeeded" });
    const { json: ended } = await hub.ask("GET", `/api/v1/commands/${command.id}`, undefined, "carol");
    expect(ended).toMatchObject({ state: "succeeded", parameters: { name: "one", size: 2 } });
    expect(ended).toMatchObject({ history: [{ reason: `by template ${name} at revision ${revision}` }, {}, {}] });
  });

  it("is possible in several clusters, and those that it isn't for are left out or refused", async () => {
    rights.get("carol")?.add(`use templates/${name} west`);
    await put({ clusters: { selector: "env=test" } });
    const plan = { kind: "template", spec: { name, parameters: { name: "one" } }, all: true };
    const asked = (body: object) => hub.ask("POST", "/api/v1/rollouts", { ...plan, ...body }, "carol");
    const preview = await hub.ask(
      "POST",
      "/api/v1/rollouts/preview",
      { ...plan, clusters: ["east", "west"], all: undefined },
      "carol",
    );
    expect(preview.json).toMatchObject({
      items: [{ cluster: "east" }],
      unusable: [{ cluster: "west", trouble: { code: "TEMPLATE_CLUSTER_EXCLUDED" } }],
    });
    expect(codeOf(await asked({ all: undefined, clusters: ["east", "west"] }))).toBe("TEMPLATE_CLUSTER_EXCLUDED");
    const { json } = await asked({ all: undefined, clusters: ["east"], dryRun: true });
    const { id, template } = json as Rollout;
    expect(template).toMatchObject({ name });
    const clusters = async () => (await hub.ask("GET", `/api/v1/rollouts/${id}/clusters`, undefined, "carol")).json;
    await expect.poll(clusters).toMatchObject({ items: [{ cluster: "east", state: "running" }] });
    expect((await hub.ask("GET", `/api/v1/rollouts/${id}`, undefined, "dave")).status).toBe(404);
    expect((await hub.ask("POST", `/api/v1/rollouts/${id}/cancel`, {}, "carol")).status).toBe(200);
  });

  it("goes on in a rollout as it began, and ends with the template where it hasn't been yet", async () => {
    rights.get("carol")?.add(`use templates/${name} west`);
    const { revision } = (await put()).json as TemplateDetail;
    const plan = { clusters: ["east", "west"], maxParallel: 1 };
    const spec = { name, parameters: { name: "one" } };
    const begun = await hub.ask("POST", "/api/v1/rollouts", { kind: "template", spec, ...plan }, "carol");
    const { id } = begun.json as Rollout;
    const clusters = async () =>
      ((await hub.ask("GET", `/api/v1/rollouts/${id}/clusters`, undefined, "carol")).json as RolloutClusterList).items;
    await expect.poll(clusters).toMatchObject([{ state: "running" }, { state: "waiting" }]);
    await put({ description: "another" });
    await hub.ask("DELETE", path(), undefined, "root");
    const [{ command = "" } = {}] = await clusters();
    expect((await hub.ask("GET", `/api/v1/commands/${command}`, undefined, "root")).json).toMatchObject({
      template: { name, revision },
    });
    await hub.ask("POST", `/api/v1/commands/${command}/cancel`, {}, "carol");
    await expect
      .poll(clusters)
      .toMatchObject([{ state: "failed" }, { state: "failed", trouble: { code: "TEMPLATE_NOT_FOUND" } }]);
  });

  it("is once under the same key, and is refused for another use of it", async () => {
    await put();
    const { json: first } = await use({ name: "one" }, { idempotencyKey: name });
    expect(await use({ name: "one" }, { idempotencyKey: name })).toMatchObject({ status: 200, json: first });
    expect(codeOf(await use({ name: "two" }, { idempotencyKey: name }))).toBe("COMMAND_IDEMPOTENCY_MISMATCH");
  });

  it("refuses values that are missing, unknown or wrong, all at once, and what is no reference of the template's own", async () => {
    await put();
    const refused = await use({ size: 9, other: 1 });
    expect([refused.status, codeOf(refused)]).toEqual([400, "TEMPLATE_PARAMETERS_INVALID"]);
    for (const problem of ["size must be 5 at most", "other isn't known", "name is missing"])
      expect(detailOf(refused)).toContain(problem);
    const note = "${secret:kube-system/admin/token}";
    const secret = await use({ name: "one", note });
    expect([codeOf(secret), detailOf(secret)]).toEqual([
      "TEMPLATE_PARAMETERS_INVALID",
      expect.stringContaining("note has a"),
    ]);
  });
});

describe("who may only use a template", () => {
  it("can't ask for a command of his own, nor in another cluster, nor in another's account", async () => {
    await put();
    const raw = { cluster: "east", kind: "manifests", spec: { set: "web", manifests: "" } };
    expect(codeOf(await hub.ask("POST", "/api/v1/commands", raw, "carol"))).toBe("ACCESS_DENIED");
    expect(codeOf(await use({ name: "one" }, { cluster: "west" }))).toBe("ACCESS_DENIED");
    expect(codeOf(await use({ name: "one" }, { serviceAccount: "kube-system/admin" }))).toBe("COMMAND_REQUEST_INVALID");
    const smuggled = { template: { name, revision: 1, parameters: {} } };
    expect(codeOf(await hub.ask("POST", "/api/v1/commands", { ...raw, ...smuggled }, "carol"))).toBe(
      "COMMAND_REQUEST_INVALID",
    );
  });

  it("can't change, remove or read how it is done, and sees no template that isn't for him", async () => {
    await put();
    await put({}, "root", "other");
    expect(codeOf(await put({}, "carol"))).toBe("ACCESS_DENIED");
    expect(codeOf(await hub.ask("DELETE", path(), undefined, "carol"))).toBe("ACCESS_DENIED");
    expect(codeOf(await hub.ask("GET", path("other"), undefined, "carol"))).toBe("TEMPLATE_NOT_FOUND");
    expect(codeOf(await hub.ask("GET", path(), undefined, "dave"))).toBe("TEMPLATE_NOT_FOUND");
    expect((await hub.ask("GET", "/api/v1/templates", undefined, "carol")).json).toMatchObject({ items: [{ name }] });
    const { json: seen } = await hub.ask("GET", path(), undefined, "carol");
    expect(seen).toMatchObject({ parameters: config.parameters });
    expect(seen).not.toHaveProperty("spec");
    const { json: rendered } = await hub.ask("POST", `${path()}/render`, { parameters: { name: "one" } }, "carol");
    expect(rendered).toMatchObject({ target: "manifests/shop/web", parameters: { size: 2 } });
    expect(rendered).not.toHaveProperty("spec");
    const { id } = (await use({ name: "one" })).json as Command;
    expect((await hub.ask("GET", `/api/v1/commands/${id}`, undefined, "carol")).json).not.toHaveProperty("spec");
  });

  it("can't get by with fewer approvals or another deadline than the template says", async () => {
    await put({ approvals: { required: 2 }, deadlineSeconds: 60 });
    const fewer = await use({ name: "one" }, { approvals: { required: 1, fourEyes: false } });
    expect(codeOf(fewer)).toBe("TEMPLATE_WISH_FIXED");
    expect(codeOf(await use({ name: "one" }, { deadlineSeconds: 3_600 }))).toBe("TEMPLATE_WISH_FIXED");
    const { approval, createdAt, deadlineAt } = (await use({ name: "one" })).json as Command;
    expect(approval).toMatchObject({ required: 2, fourEyes: true });
    expect(Date.parse(deadlineAt) - Date.parse(createdAt)).toBe(60_000);
  });

  it("sees, and cancels, what he asked for by it, and nobody else's, until he may not use it any more", async () => {
    await put();
    const { id } = (await use({ name: "one" })).json as Command;
    const { id: others } = (await use({ name: "one" }, {}, "root")).json as Command;
    const list = async () =>
      ((await hub.ask("GET", "/api/v1/commands", undefined, "carol")).json as { items: Command[] }).items;
    expect((await list()).map((one) => one.id)).toContain(id);
    expect((await list()).map((one) => one.id)).not.toContain(others);
    expect((await hub.ask("GET", `/api/v1/commands/${others}`, undefined, "carol")).status).toBe(404);
    expect((await hub.ask("POST", `/api/v1/commands/${id}/cancel`, {}, "carol")).status).toBe(200);
    rights.delete("carol");
    expect((await hub.ask("GET", `/api/v1/commands/${id}`, undefined, "carol")).status).toBe(404);
  });

  it("repeats what the template says now, and not what it said", async () => {
    await put();
    const { id } = (await use({ name: "one" })).json as Command;
    await hub.ask("POST", `/api/v1/commands/${id}/cancel`, {}, "carol");
    const repeat = () => hub.ask("POST", `/api/v1/commands/${id}/retry`, {}, "carol");
    expect(await repeat()).toMatchObject({ status: 201, json: { retryOf: id, template: { name } } });
    await put({ description: "another" });
    expect(codeOf(await repeat())).toBe("TEMPLATE_CHANGED");
    await hub.ask("DELETE", path(), undefined, "root");
    expect(codeOf(await repeat())).toBe("TEMPLATE_NOT_FOUND");
  });
});

describe("keeping templates", () => {
  it("takes the right to ask for what they say, in all clusters that they name", async () => {
    rights.set("bob", new Set([`create templates/${name}`, "create commands/manifests east"]));
    expect(codeOf(await put({}, "bob"))).toBe("ACCESS_DENIED");
    expect(codeOf(await put({ clusters: { selector: "env=test" } }, "bob"))).toBe("ACCESS_DENIED");
    expect(codeOf(await put({ clusters: { names: ["east", "west"] } }, "bob"))).toBe("ACCESS_DENIED");
    const flow = { name: "all", steps: [{ id: "a", helm: { release: "web", action: "uninstall" } }] };
    rights.get("bob")?.add("create commands/flow east");
    const widened = { kind: "flow", spec: flow, parameters: undefined, clusters: { names: ["east"] } };
    expect(codeOf(await put(widened, "bob"))).toBe("ACCESS_DENIED");
    expect((await put({ clusters: { names: ["east"] } }, "bob")).status).toBe(200);
  });

  it("changes only the revision that was looked at", async () => {
    const { revision } = (await put({ revision: 0 })).json as TemplateDetail;
    expect(codeOf(await put({ revision: 0 }))).toBe("TEMPLATE_CHANGED");
    expect((await put({ revision })).json).toMatchObject({ revision });
    const { revision: next } = (await put({ revision, description: "another" })).json as TemplateDetail;
    expect(next).toBeGreaterThan(revision);
    expect(codeOf(await put({ revision, description: "a third" }))).toBe("TEMPLATE_CHANGED");
    await hub.ask("DELETE", path(), undefined, "root");
    expect(((await put()).json as TemplateDetail).revision).toBeGreaterThan(next);
  });

  it("ends where a hub has as many as it may, and where one is too large", async () => {
    for (const each of ["a", "b", "c"]) expect((await put({}, "root", each)).status).toBe(200);
    expect(codeOf(await put({}, "root", "d"))).toBe("TEMPLATE_TOO_MANY");
    const spec = { set: "web", manifests: "x".repeat(256 * 1024) };
    expect(codeOf(await put({ spec, parameters: undefined }, "root", "a"))).toBe("TEMPLATE_TOO_LARGE");
  });
});

it("answers two questions of a person at once, and the others with a code", async () => {
  await put();
  const held = await holdTransaction(harness.store.db, (trx) =>
    sql`lock table template in access exclusive mode`.execute(trx),
  );
  const look = (user: string) => hub.ask("GET", path(), undefined, user);
  const first = [look("carol"), look("carol")];
  await untilSomebodyWaits(harness.store.db, 2);
  expect(await look("carol")).toMatchObject({ status: 429, json: { code: "TEMPLATE_BUSY" } });
  const another = look("root");
  await untilSomebodyWaits(harness.store.db, 3);
  await held.commit();
  expect((await Promise.all([...first, another])).map(({ status }) => status)).toEqual([200, 200, 200]);
});
