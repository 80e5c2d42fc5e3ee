// The admin token of the first start beside people who sign in by the identity provider.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isStoreFailure } from "../../platform/store/index.ts";
import { type AccessHarness, startAccess } from "./access-harness.fixture.ts";
import type { AccessRoom } from "./index.ts";
import { type AdminTokenNews, hashToken } from "./tokens/index.ts";

let harness: AccessHarness;
let news: AdminTokenNews[];
const failures: unknown[] = [];
const setting = { firstTokenEndsFor: "https://idp.test" };
beforeEach(async () => {
  news = [];
  harness = await startAccess({
    ...setting,
    onAdminToken: async (one) => void news.push(one),
    onError: (error) => void failures.push(error),
  });
});
afterEach(async () => {
  await harness[Symbol.asyncDispose]();
  expect(failures.splice(0).filter((error) => !isStoreFailure(error))).toEqual([]);
});

describe("the first admin token", () => {
  it("ends when a user of the provider is signed in and admin of everything, with its sessions and binding, on record", async () => {
    const session = (await harness.call(harness.adminToken, "POST /api/v1/sessions")).body.accessToken;
    await harness.bind("user", "alice", "admin", "*");
    const changed = vi.fn();
    harness.access.onChanged(changed);
    const alice = await harness.signIn("alice");
    expect(await statuses(harness.adminToken, session, alice.token)).toEqual([200, 200, 200]);
    await untilStatus(401, harness.adminToken);
    await expect.poll(() => news.length).toBe(1);
    expect(await statuses(harness.adminToken, session, alice.token)).toEqual([401, 401, 200]);
    expect(changed).toHaveBeenCalled();
    expect(news).toMatchObject([{ kind: "revoked", by: "--first-admin-token-ends" }]);
    const { body } = await harness.call(alice.token, "GET /api/v1/bindings");
    expect(body.items).toMatchObject([{ subject: { kind: "user", name: "alice" } }]);
    const refused = await harness.call(alice.token, `DELETE /api/v1/bindings/${body.items[0].id}`);
    expect(refused.body).toMatchObject({ code: "ACCESS_LAST_ADMIN" });
  });

  it("ends when somebody who is signed in gets the role, also by a group", async () => {
    await harness.signIn("alice", ["ops"]);
    await look();
    expect(await statuses(harness.adminToken)).toEqual([200]);
    await harness.bind("group", "ops", "admin", "*");
    await untilStatus(401, harness.adminToken);
  });

  it("stays ended after a restart, which makes and shows no other", async () => {
    await harness.bind("user", "alice", "admin", "*");
    const alice = await harness.signIn("alice");
    await untilStatus(401, harness.adminToken);
    await expect.poll(() => news.length).toBe(1);
    for (const more of [{}, { firstTokenEndsFor: undefined }]) {
      await using again = await harness.reopen(more);
      expect(again.firstAdminToken).toBeUndefined();
      expect(await tryIn(again, harness.adminToken)).toBe("AUTH_INVALID");
      expect(await tryIn(again, alice.token)).toBe("alice");
    }
    expect(news).toHaveLength(1);
  });

  it("ends at a start with the setting, when somebody's sign-in is still in force", async () => {
    await using plain = await startAccess();
    await plain.bind("user", "alice", "admin", "*");
    await plain.signIn("alice");
    plain.clock.move(5_000);
    expect((await plain.call(plain.adminToken, "GET /api/v1/whoami")).status).toBe(200);
    await using again = await plain.reopen(setting);
    expect(await tryIn(again, plain.adminToken)).toBe("AUTH_INVALID");
  });
});

describe("the first admin token stays", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["nobody has signed in with the role", () => harness.bind("user", "alice", "admin", "*")],
    ["whoever signed in has no role", () => harness.signIn("alice")],
    ["whoever signed in is admin of a part", () => signInAs("admin", "east")],
    ["whoever signed in has another role on all clusters", () => signInAs("operator", "*")],
    [
      "the sign-in with the role is over",
      async () => {
        const { principal } = await harness.signIn("alice");
        await harness.access.sessions.end(({ id }) => id === principal.sessionId);
        await harness.bind("user", "alice", "admin", "*");
      },
    ],
    [
      "who has the role came by another provider",
      async () => {
        await harness.bind("user", "eve", "admin", "*");
        const person = { issuer: "https://former.test", subject: "eve", name: "eve", groups: [] };
        const { user } = await harness.access.users.recordSignIn(person);
        await harness.access.sessions.create({ kind: "user", name: "eve", uid: user.uid, groups: [], method: "oidc" });
      },
    ],
    [
      "it is a robot that has the role",
      async () => {
        await harness.bind("robot", "ci", "admin", "*");
        const made = await harness.call(harness.adminToken, "POST /api/v1/robots/ci/tokens", { ttlMs: 3_600_000 });
        await harness.call(made.body.token, "POST /api/v1/sessions");
      },
    ],
    ["it is itself signed in", () => harness.call(harness.adminToken, "POST /api/v1/sessions")],
  ])("while %s", async (_, prepare) => {
    await prepare();
    await look();
    await look();
    expect(await statuses(harness.adminToken)).toEqual([200]);
    expect(news).toEqual([]);
  });

  it("without the setting", async () => {
    await using plain = await startAccess();
    await plain.bind("user", "alice", "admin", "*");
    await plain.signIn("alice");
    for (let round = 0; round < 3; round += 1) {
      plain.clock.move(1_000);
      await settle();
    }
    expect((await plain.call(plain.adminToken, "GET /api/v1/whoami")).status).toBe(200);
  });
});

describe("a token of admin-token new", () => {
  it("stays when the first one ends, with its role", async () => {
    await insert(hashToken("fla_new"));
    await untilStatus(200, "fla_new");
    await harness.bind("user", "alice", "admin", "*");
    await harness.signIn("alice");
    await untilStatus(401, harness.adminToken);
    await expect.poll(() => news.length).toBe(2);
    expect(await statuses(harness.adminToken, "fla_new")).toEqual([401, 200]);
    expect((await harness.call("fla_new", "GET /api/v1/bindings")).status).toBe(200);
    expect(news.map(({ kind }) => kind)).toEqual(["made", "revoked"]);
  });
});

async function signInAs(role: string, where: string): Promise<void> {
  // So that the hub would have an admin left, who never came.
  await harness.bind("user", "bob", "admin", "*");
  await harness.bind("user", "alice", role, where);
  await harness.signIn("alice");
}

async function insert(sha256: string): Promise<void> {
  const row = { id: `adm_${crypto.randomUUID()}`, name: "admin", secret_sha256: sha256, by_command: true };
  await harness.store.db
    .insertInto("admin_token")
    .values({ ...row, created_at: new Date(harness.clock.now()) })
    .execute();
}

/** The room looks once a second. */
async function untilStatus(status: number, token: string): Promise<void> {
  const read = async (): Promise<number> => {
    harness.clock.move(1_000);
    return (await harness.call(token, "GET /api/v1/whoami")).status;
  };
  await expect.poll(read).toBe(status);
}

/** Until the room has looked once more, and what it does about it is done. */
async function look(): Promise<void> {
  await settle();
  harness.clock.move(1_000);
  await settle();
}

/** Statements on the same few connections are answered after those of the room that began before. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await harness.store.db.selectFrom("admin_token").select("id").execute();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function statuses(...tokens: readonly string[]): Promise<number[]> {
  return await Promise.all(tokens.map(async (token) => (await harness.call(token, "GET /api/v1/whoami")).status));
}

async function tryIn(access: AccessRoom, token: string): Promise<unknown> {
  try {
    return (await access.authenticate(`Bearer ${token}`)).name;
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}
