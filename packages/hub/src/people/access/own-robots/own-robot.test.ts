import type { AccessRole } from "@fairlead/contract";
import { readRequestAttributes } from "@fairlead/kube";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type AccessHarness, startAccess } from "../access-harness.fixture.ts";
import { createOwnRobot, type OwnRobot } from "./own-robot.ts";

const role: AccessRole = {
  name: "made",
  isBuiltIn: false,
  hubRules: [],
  groups: ["fairlead:made"],
  clusterRules: [{ verbs: ["get"], resources: ["pods"] }],
};
const tokenTtlMs = 3_600_000;
let harness: AccessHarness;
let robot: OwnRobot;
let count = 0;
let name = "";

beforeAll(async () => {
  harness = await startAccess();
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(() => {
  name = `made-${++count}`;
  robot = createOwnRobot({ ...harness, name, owner: "hub", description: "x", role, tokenTtlMs });
});

it("has tokens for one cluster each, with the rights of its role and the role's group", async () => {
  const { token } = await robot.issue("east");
  const on = async (cluster: string, path: string) => {
    const principal = await harness.access.authenticate(`Bearer ${token}`);
    const attributes = readRequestAttributes({ method: "GET", path });
    if (!attributes) throw new Error("not a request");
    return harness.access.authorize({ principal, cluster, attributes });
  };
  const pod = "/api/v1/namespaces/a/pods/b";
  expect(await on("east", pod)).toMatchObject({
    allowed: true,
    identity: { user: `robot:${name}`, groups: ["fairlead:made"] },
  });
  expect(await on("east", "/version")).toMatchObject({ allowed: true, identity: { groups: ["fairlead:made"] } });
  for (const [cluster, path] of [
    ["west", pod],
    ["west", "/version"],
    ["east", "/api/v1/namespaces/a/secrets/b"],
  ] as const)
    expect((await on(cluster, path)).allowed).toBe(false);
  expect((await harness.call(token, "GET /api/v1/clusters")).status).not.toBe(200);
});

it("is to have a new token at half of its life", async () => {
  const { token } = await robot.issue("east");
  expect([robot.isFresh(token, "east"), robot.isFresh(token, "west"), robot.isFresh("flb_x", "east")]).toEqual([
    true,
    false,
    false,
  ]);
  harness.clock.move(tokenTtlMs / 2);
  expect(robot.isFresh(token, "east")).toBe(false);
  await harness.access.authenticate(`Bearer ${token}`);
});

it("keeps only the tokens that are named, at once", async () => {
  const [old, east, west] = [await robot.issue("east"), await robot.issue("east"), await robot.issue("west")];
  await robot.keepOnly(new Map([["east", east.token]]));
  await harness.access.authenticate(`Bearer ${east.token}`);
  for (const { token } of [old, west])
    await expect(async () => await harness.access.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: "AUTH_INVALID",
    });
});

it("has no more than three tokens for a cluster, however many are asked for", async () => {
  for (let asked = 0; asked < 6; asked++) await robot.issue("east");
  await robot.issue("west");
  expect(harness.access.robots.get(name).tokens).toHaveLength(4);
});

it("has its role back when somebody changed it", async () => {
  await robot.issue("east");
  const wide = { clusterRules: [{ verbs: ["*"], resources: ["*"] }], groups: [] };
  expect((await harness.call(harness.adminToken, "PUT /api/v1/roles/made", wide)).status).toBe(200);
  await robot.issue("east");
  expect(harness.access.grants.roles.get("made")).toEqual(role);
});

it("takes no account that somebody else made under its name", async () => {
  await harness.call(harness.adminToken, "POST /api/v1/robots", { name });
  await expect(robot.issue("east")).rejects.toMatchObject({ code: "ROBOT_EXISTS" });
  await robot.keepOnly(new Map());
  expect(harness.access.robots.get(name).name).toBe(name);
});
