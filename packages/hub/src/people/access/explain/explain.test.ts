import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessHarness, startAccess } from "../access-harness.fixture.ts";

let harness: AccessHarness;
let alice: string;
beforeAll(async () => {
  harness = await startAccess({ groupPrefix: "idp:" });
  ({ token: alice } = await harness.signIn("alice", ["dev"]));
  await harness.bind("user", "alice", "viewer", "east");
  await harness.bind("group", "dev", "operator", "west");
  await harness.call(harness.adminToken, "POST /api/v1/robots", { name: "ci" });
  await harness.bind("robot", "ci", "operator", "*");
});
afterAll(() => harness[Symbol.asyncDispose]());

async function explain(subject: object, rest: object, token = harness.adminToken) {
  return (await harness.call(token, "POST /api/v1/access/explain", { subject, ...rest })).body;
}

describe("explaining access", () => {
  it("says by which binding, and whom the cluster sees", async () => {
    const why = await explain({ kind: "user", name: "alice" }, { verb: "list", resource: "pods", cluster: "east" });
    expect(why).toMatchObject({
      allowed: true,
      identity: { user: "alice", groups: ["fairlead:viewers", "idp:dev"] },
      considered: [
        { role: "viewer", matched: true },
        { role: "operator", matched: false, why: "it isn't for the cluster east" },
      ],
    });
    expect(why.reason).toContain("viewer");
  });

  it("says of each binding why it doesn't", async () => {
    const subject = { kind: "user", name: "alice" };
    const why = await explain(subject, {
      verb: "delete",
      resource: "deployments.apps",
      cluster: "east",
      namespace: "a",
    });
    expect(why).toMatchObject({ allowed: false, considered: [{ matched: false }, { matched: false }] });
    expect(why.considered[0].why).toContain("doesn't give delete");
    expect(why.reason).toContain("alice has no role on the cluster east that gives this");
    const secrets = await explain(subject, { verb: "get", resource: "secrets", cluster: "east" });
    expect(secrets.considered[0].why).toContain("leaves out secrets");
  });

  it("takes exec for what it is, whatever verb is named", async () => {
    const subject = { kind: "user", name: "alice" };
    expect(await explain(subject, { verb: "get", resource: "pods/exec", cluster: "east" })).toMatchObject({
      allowed: false,
    });
    expect(await explain(subject, { verb: "get", resource: "pods/exec", cluster: "west" })).toMatchObject({
      allowed: true,
    });
  });

  it("knows groups as told or as of the latest sign-in, robots by either name, and the admin", async () => {
    const rest = { verb: "delete", resource: "pods", cluster: "west" };
    expect(await explain({ kind: "user", name: "alice" }, rest)).toMatchObject({ allowed: true });
    expect(await explain({ kind: "user", name: "alice", groups: [] }, rest)).toMatchObject({ allowed: false });
    expect(await explain({ kind: "user", name: "bob", groups: ["dev"] }, rest)).toMatchObject({ allowed: true });
    expect(await explain({ kind: "user", name: "bob" }, rest)).toMatchObject({ allowed: false, considered: [] });
    for (const name of ["ci", "robot:ci"]) {
      expect(await explain({ kind: "robot", name }, rest)).toMatchObject({
        allowed: true,
        identity: { user: "robot:ci" },
      });
    }
    expect(await explain({ kind: "admin-token", name: "admin" }, rest)).toMatchObject({ allowed: true });
  });

  it("answers about the hub's own things, too", async () => {
    const ask = (name: string, rest: object) => explain({ kind: "user", name }, rest);
    expect(await ask("alice", { verb: "create", resource: "bindings" })).toMatchObject({ allowed: false });
    expect(await ask("alice", { verb: "get", resource: "clusters", cluster: "east" })).toMatchObject({ allowed: true });
    expect(await ask("alice", { verb: "get", resource: "clusters", cluster: "none" })).toMatchObject({
      allowed: false,
    });
    expect(await ask("alice", { verb: "create", resource: "clusters/tokens", cluster: "east" })).toMatchObject({
      allowed: false,
    });
  });

  it("says the same as the policy does for a real request", async () => {
    const { principal } = await harness.signIn("alice", ["dev"]);
    const attributes = { isResource: true, path: "", apiGroup: "", apiVersion: "v1", subresource: "", name: "" };
    for (const verb of ["get", "list", "create", "delete", "watch"]) {
      for (const resource of ["pods", "secrets", "nodes"]) {
        for (const cluster of ["east", "west", "none"]) {
          const real = harness.access.authorize({
            principal,
            cluster,
            attributes: { ...attributes, verb, resource, namespace: "a" },
          });
          const told = await explain({ kind: "user", name: "alice" }, { verb, resource, cluster, namespace: "a" });
          expect(told.allowed, `${verb} ${resource} ${cluster}`).toBe(real.allowed);
        }
      }
    }
  });

  it("is for oneself without a role, and for others with the right to list bindings", async () => {
    const rest = { verb: "get", resource: "pods", cluster: "east" };
    expect(await explain({ kind: "user", name: "alice" }, rest, alice)).toMatchObject({ allowed: true });
    expect(await explain({ kind: "robot", name: "ci" }, rest, alice)).toMatchObject({ code: "ACCESS_DENIED" });
    expect(await explain({ kind: "user", name: "alice", groups: ["x"] }, rest, alice)).toMatchObject({
      code: "ACCESS_DENIED",
    });
  });
});

describe("who can", () => {
  it("names every subject with a binding that gives it", async () => {
    const ask = async (body: object) =>
      (await harness.call(harness.adminToken, "POST /api/v1/access/who-can", body)).body.items.map(
        (item: { subject: { kind: string; name: string }; role: string }) =>
          `${item.subject.kind}:${item.subject.name} ${item.role}`,
      );
    expect(await ask({ verb: "get", resource: "pods", cluster: "east" })).toEqual([
      "admin-token:admin admin",
      "user:alice viewer",
      "robot:ci operator",
    ]);
    expect(await ask({ verb: "get", resource: "secrets", cluster: "east" })).toEqual([
      "admin-token:admin admin",
      "robot:ci operator",
    ]);
    expect(await ask({ verb: "create", resource: "bindings" })).toEqual(["admin-token:admin admin"]);
  });

  it("is for who may list bindings", async () => {
    const { body } = await harness.call(alice, "POST /api/v1/access/who-can", {
      verb: "get",
      resource: "pods",
      cluster: "east",
    });
    expect(body.code).toBe("ACCESS_DENIED");
  });
});
