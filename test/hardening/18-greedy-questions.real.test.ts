// People who ask as much as they can: their questions have connections of their own to the database, so that what the
// hub does for everybody else has others.
import { auditOperations, pathOf, signInOperations } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, openTestHub, type TestHub } from "../../packages/hub/src/hub.fixture.ts";
import { addPods, sleepInStore } from "../../packages/hub/src/platform/store/burden.fixture.ts";
import { addRobot, ask, reportKinds } from "../../packages/hub/src/report.fixture.ts";

let on: TestHub;
beforeAll(async () => {
  on = await openTestHub();
}, 120_000);
afterAll(() => on[Symbol.asyncDispose]());

describe("18: greedy questions", () => {
  it("that take every connection for questions hold up no probe, sign-in, link, report or record", async () => {
    const seconds = 6;
    const questions = Array.from({ length: 3 }, () => sleepInStore({ db: on.store.queries }, seconds));
    const startedMs = performance.now();
    let isOver = false;
    const over = Promise.all(questions).finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    expect(await probe()).toBe(200);
    // A person signs in, which is written and recorded; an agent enrolls, has a link and reports.
    expect(await signIn("first")).toBe(201);
    await reportKinds(on, "early", [
      { resource: "pods", kind: "Pod", objects: [{ name: "web", namespace: "default" }] },
    ]);
    expect((await on.store.db.selectFrom("inventory_object").select("name").execute()).length).toBe(1);
    await expect
      .poll(async () => (await on.store.db.selectFrom("audit_head").select("last_seq").executeTakeFirst())?.last_seq, {
        timeout: 20_000,
      })
      .toBeGreaterThan(0);
    expect(await probe()).toBe(200);
    expect(isOver).toBe(false);
    // Another question waits for its turn.
    expect((await ask(on, "/api/v1/objects?kind=pods")).status).toBe(200);
    expect(performance.now() - startedMs).toBeGreaterThan(1_000);
    await over;
  });

  it("40 searches at once over many objects leave everybody else as quick as anybody would want", async () => {
    await reportKinds(on, "east", [{ resource: "pods", kind: "Pod" }]);
    await addPods(on.store, 20_000);
    const viewers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        addRobot(on, `viewer-${index}`, { role: "viewer", clusters: { names: ["east"] } }),
      ),
    );
    let isOver = false;
    const beganMs = performance.now();
    let searchesMs = 0;
    const searches = Promise.all(
      viewers.flatMap((token, viewer) =>
        [0, 1, 2, 3].map((index) => ask(on, `/api/v1/objects?kind=pods&search=nothing-${viewer}-${index}`, token)),
      ),
    ).finally(() => {
      isOver = true;
      searchesMs = performance.now() - beganMs;
    });
    const others: { readonly what: string; readonly status: number | undefined; readonly tookMs: number }[] = [];
    const time = async (what: string, work: () => Promise<number | undefined>): Promise<void> => {
      const startedMs = performance.now();
      others.push({ what, status: await work(), tookMs: performance.now() - startedMs });
    };
    for (let round = 0; !isOver; round += 1) {
      await Promise.all([
        time("probe", probe),
        time("sign-in", () => signIn(`guest-${round}`)),
        time("list", async () => (await ask(on, "/api/v1/clusters")).status),
        time("page", async () => (await ask(on, "/api/v1/objects?kind=pods&limit=10")).status),
        time("audit", async () => (await ask(on, pathOf(auditOperations.listAudit))).status),
        time("report", async () => {
          await reportKinds(on, `late-${round}`, [
            { resource: "pods", kind: "Pod", objects: [{ name: "web", namespace: "default" }] },
          ]);
          return 200;
        }),
      ]);
    }
    const answers = await searches;
    // Somebody who asks that much is answered in turn, or told to come again.
    for (const { status, json } of answers) {
      if (status !== 200) expect(json).toMatchObject({ code: "OBJECTS_TOO_BUSY" });
    }
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(others.filter(({ status }) => (status ?? 500) > 299)).toEqual([]);
    expect(others.length).toBeGreaterThan(6);
    // A request that waits for the searches is as slow as all of them. A busy machine makes both slow.
    const slowest = Map.groupBy(others, ({ what }) => what);
    for (const [what, each] of slowest) {
      const tookMs = Math.max(...each.map((one) => one.tookMs));
      expect(tookMs, `${what} took ${Math.round(tookMs)} ms at worst of ${each.length}`).toBeLessThan(
        Math.max(5_000, searchesMs / 2),
      );
    }
  });
});

async function probe(): Promise<number | undefined> {
  return (await call(on.hub.peopleUrl, "/readyz")).status;
}

/** A robot is made and changes its token for a session. */
async function signIn(name: string): Promise<number | undefined> {
  const token = await addRobot(on, name);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return (await call(on.hub.peopleUrl, pathOf(signInOperations.createSession), { method: "POST", headers, body: "{}" }))
    .status;
}
