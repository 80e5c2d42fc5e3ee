import { systemClock } from "@fairlead/kernel";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdTransaction, untilSomebodyWaits } from "../../platform/store/hold-transaction.fixture.ts";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createLoneChanges } from "./ledger/lone-changes.fixture.ts";
import { createRobotStore, type RobotRecord } from "./robots/store.ts";
import { type AccessOptions, openAccess } from "./service.ts";
import { createSessionStore } from "./sessions/store.ts";
import { openAdminTokens } from "./tokens/admin-tokens.ts";
import { hashToken } from "./tokens/tokens.ts";
import { createUserStore } from "./users/store.ts";

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
});
afterAll(() => store[Symbol.asyncDispose]());

describe("access, changed at once on several connections", () => {
  it("has one first token that is good, whoever makes it last", async () => {
    const opened = await Promise.all(Array.from({ length: 10 }, (_, index) => open(index)));
    const used = await Promise.all(
      opened.map(async (tokens) => await tokens.find(hashToken(tokens.firstToken ?? "none"))),
    );
    expect(used.filter((principal) => principal !== undefined)).toHaveLength(1);
    for (let index = 0; index < 2; index += 1) expect((await open(index)).firstToken).toBeUndefined();

    function open(index: number): ReturnType<typeof openAdminTokens> {
      return openAdminTokens({ db: index % 2 === 0 ? store.db : store.queries, clock: systemClock });
    }
  });

  it("either has a first token used or replaces it, and never both", async () => {
    for (let round = 0; round < 10; round += 1) {
      await store.db.deleteFrom("admin_token").execute();
      const tokens = await openAdminTokens({ db: store.db, clock: systemClock });
      const [principal, next] = await Promise.all([
        tokens.find(hashToken(tokens.firstToken ?? "none")),
        openAdminTokens({ db: store.queries, clock: systemClock }),
      ]);
      expect(principal === undefined).toBe(next.firstToken !== undefined);
    }
  });

  it("keeps the last admin of two that are taken away", async () => {
    const own = await openAccess({ ...alone(store) });
    await using _ = own;
    await own.grants.bind({ subject: { kind: "user", name: "alice" }, role: "admin", clusters: { all: true } }, "t");
    const outcomes = await Promise.allSettled(own.grants.bindings().map(({ id }) => own.grants.unbind(id)));
    expect(outcomes.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: { code: "ACCESS_LAST_ADMIN" } },
    ]);
    const { rows } = await sql`select from access_binding`.execute(store.db);
    expect(rows).toHaveLength(1);
  });

  it("gives a name to one of two users who sign in first", async () => {
    const users = [createUserStore(store.db), createUserStore(store.queries)] as const;
    const puts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? users[0] : users[1]).put({
        uid: `usr_${index}`,
        name: "carol@example.com",
        issuer: "https://idp.example.com",
        subject: `${index}`,
        groups: [],
        createdMs: 1,
        signedInMs: 1,
      }),
    );
    expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(1);
  });

  it("refreshes no session that ends meanwhile, and neither waits for the other", async () => {
    const sessions = createSessionStore(store.db, createLoneChanges(store.db));
    const token = (sha256: string, kind: "access" | "refresh") => ({
      sha256,
      sessionId: "ses_1",
      kind,
      expiresMs: Date.now() + 60_000,
      usedMs: undefined,
    });
    await sessions.insert(
      {
        id: "ses_1",
        kind: "user",
        name: "a",
        uid: "u",
        groups: [],
        method: "oidc",
        tokenId: undefined,
        scope: undefined,
        remoteAddress: undefined,
        oidcSid: undefined,
        createdMs: 1,
        refreshedMs: 1,
        endsMs: Date.now() + 60_000,
      },
      [token("a1", "access"), token("r1", "refresh")],
    );
    const ending = await holdTransaction(store.queries, (trx) =>
      trx.deleteFrom("session").where("id", "=", "ses_1").execute(),
    );
    const rotating = sessions.rotate({
      sha256: "r1",
      nowMs: Date.now(),
      reuseGraceMs: 60_000,
      maxUsed: 200,
      renew: () => ({ tokens: [token("a2", "access"), token("r2", "refresh")], forget: ["a1"] }),
    });
    await untilSomebodyWaits(store.queries);
    await ending.commit();
    expect(await rotating).toEqual({ kind: "unknown" });
  });

  it("makes no token for a robot that is removed meanwhile, nor for another one of its name", async () => {
    const robots = createRobotStore(store.db);
    const robot: RobotRecord = { name: "ci", uid: "rob_1", description: undefined, ttlMs: 1, createdMs: 1 };
    const token = {
      robot: "ci",
      scope: undefined,
      createdMs: 1,
      expiresMs: 2,
      lastUsedMs: undefined,
    };
    await robots.insert(robot);
    const removing = await holdTransaction(store.queries, (trx) =>
      trx.deleteFrom("robot").where("name", "=", "ci").execute(),
    );
    const making = robots.insertToken({ ...token, id: "rbt_1", sha256: "1" }, robot);
    await untilSomebodyWaits(store.queries);
    await removing.commit();
    expect(await making).toBe(false);
    await robots.insert({ ...robot, uid: "rob_2" });
    expect(await robots.insertToken({ ...token, id: "rbt_2", sha256: "2" }, robot)).toBe(false);
    await robots.remove(robot);
    expect((await robots.load()).robots).toMatchObject([{ uid: "rob_2" }]);
  });
});

function alone({ db }: Store): Pick<AccessOptions, "db" | "changes"> {
  return { db, changes: createLoneChanges(db) };
}
