import type { AccessRole } from "@fairlead/contract";
import { readRequestAttributes } from "@fairlead/kube";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type AccessBed, startAccess } from "../access-bed.fixture.ts";
import { createOwnRobot, type OwnRobot } from "./own-robot.ts";

const role: AccessRole = {
  name: "made",
  isBuiltIn: false,
  hubRules: [],
  groups: ["fairlead:made"],
  clusterRules: [{ verbs: ["get"], resources: ["pods"] }],
};
const tokenTtlMs = 3_600_000;
let bed: AccessBed;
let robot: OwnRobot;
let count = 0;
let name = "";

beforeAll(async () => {
  bed = await startAccess();
});
afterAll(() => bed[Symbol.asyncDispose]());
beforeEach(() => {
  name = `made-${++count}`;
  robot = createOwnRobot({ ...bed, name, owner: "hub", description: "x", role, tokenTtlMs });
});

it("has tokens for one cluster each, with the rights of its role and the role's group", async () => {
  const { token } = await robot.issue("east");
  const on = async (cluster: string, path: string) => {
    const principal = await bed.access.authenticate(`Bearer ${token}`);
    const attributes = readRequestAttributes({ method: "GET", path });
    if (!attributes) throw new Error("not a request");
    return bed.access.authorize({ principal, cluster, attributes });
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
  expect((await bed.call(token, "GET /api/v1/clusters")).status).not.toBe(200);
});

it("is to have a new token at half of its life", async () => {
  const { token } = await robot.issue("east");
  expect([robot.isFresh(token, "east"), robot.isFresh(token, "west"), robot.isFresh("flb_x", "east")]).toEqual([
    true,
    false,
    false,
  ]);
  bed.clock.move(tokenTtlMs / 2);
  expect(robot.isFresh(token, "east")).toBe(false);
  await bed.access.authenticate(`Bearer ${token}`);
});

it("keeps only the tokens that are named, at once", async () => {
  const [old, east, west] = [await robot.issue("east"), await robot.issue("east"), await robot.issue("west")];
  await robot.keepOnly(new Map([["east", east.token]]));
  await bed.access.authenticate(`Bearer ${east.token}`);
  for (const { token } of [old, west])
    await expect(async () => await bed.access.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: "AUTH_INVALID",
    });
});

it("has no more than three tokens for a cluster, however many are asked for", async () => {
  for (let asked = 0; asked < 6; asked++) await robot.issue("east");
  await robot.issue("west");
  expect(bed.access.robots.get(name).tokens).toHaveLength(4);
});

it("has its role back when somebody changed it", async () => {
  await robot.issue("east");
  const wide = { clusterRules: [{ verbs: ["*"], resources: ["*"] }], groups: [] };
  expect((await bed.call(bed.adminToken, "PUT /api/v1/roles/made", wide)).status).toBe(200);
  await robot.issue("east");
  expect(bed.access.grants.roles.get("made")).toEqual(role);
});

it("takes no account that somebody else made under its name", async () => {
  await bed.call(bed.adminToken, "POST /api/v1/robots", { name });
  await expect(robot.issue("east")).rejects.toMatchObject({ code: "ROBOT_EXISTS" });
  await robot.keepOnly(new Map());
  expect(bed.access.robots.get(name).name).toBe(name);
});
