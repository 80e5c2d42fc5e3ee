import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../../../platform/store/index.ts";
import { openMemoryStore } from "../../../platform/store/memory-store.fixture.ts";
import { createKeptOperations } from "./kept-operations.ts";

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
  await sql`insert into cluster (name, labels, roles, created_at)
    values ('east', '{}', '{}', now()), ('west', '{}', '{}', now())`.execute(store.db);
  await sql`insert into lease (name, holder, fence, expires_at)
    values ('gitops/east', 'me', 7, 'infinity'), ('gitops/west', 'me', 7, 'infinity')`.execute(store.db);
});
afterAll(() => store[Symbol.asyncDispose]());

test("records of a cluster's operations are read by the hub that takes over, and go with their applications", async () => {
  const [east, west] = ["east", "west"].map((cluster) => createKeptOperations(store.db, { cluster, term: 7n }));
  const record = { lastId: "id-1", operation: { is: "requested" } } as const;
  await east?.write("u1", { lastId: "id-0" });
  await east?.write("u1", record);
  await east?.write("u2", record);
  await west?.write("u1", { lastId: "id-9" });
  expect(await createKeptOperations(store.db, { cluster: "east", term: 8n }).read()).toEqual(
    new Map([
      ["u1", record],
      ["u2", record],
    ]),
  );
  await east?.write("u1", undefined);
  expect([...((await east?.read()) ?? []).keys()]).toEqual(["u2"]);
  expect(await west?.read()).toEqual(new Map([["u1", { lastId: "id-9" }]]));
});

test("a hub that owns the sync no more writes none", async () => {
  const stale = createKeptOperations(store.db, { cluster: "west", term: 6n });
  const fenced = expect.objectContaining({ code: "GITOPS_NOT_OWNER" });
  await expect(stale.write("u1", { lastId: "id-3" })).rejects.toEqual(fenced);
  await expect(stale.write("u1", undefined)).rejects.toEqual(fenced);
  expect((await stale.read()).get("u1")).toEqual({ lastId: "id-9" });
});
