// Records in pages, where agents die between any two steps. execute.real.test.ts has them on a real API server.
import { createSkippingClock } from "@fairlead/kernel/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Masked } from "../../../redact/index.ts";
import { executeErrors } from "../../errors.ts";
import type { Outcome } from "../../outcome.ts";
import { openRecord, type RecordKeeper } from "../record-keeper.ts";
import { createSecretRecords } from "../secret-records.ts";
import type { RecordLife, RecordStore } from "../types.ts";
import { mostEntries } from "./page.ts";
import { createPagedRecords } from "./paged-records.ts";
import { SecretsApi } from "./secrets-api.fixture.ts";

const { signal } = new AbortController();
const askedAtMs = 1_000_000;
const { nothing } = Masked;
const outcome: Outcome = {
  state: "succeeded",
  code: "",
  message: nothing,
  hint: nothing,
  result: Masked.kept("{}"),
  logBytes: 0,
};

function storeOf(api: SecretsApi, ...death: Parameters<SecretsApi["client"]>): RecordStore {
  const client = api.client(...death);
  return createPagedRecords({ client, alone: createSecretRecords({ client }) });
}

function open(store: RecordStore, id: string, epoch = 1, more: { readonly isLarge?: boolean } = {}) {
  return openRecord({
    store,
    id,
    epoch,
    kind: "manifests",
    expiresAtMs: 5,
    clock: createSkippingClock(),
    signal,
    askedAtMs: more.isLarge ? undefined : askedAtMs,
    onUnknown: () => undefined,
  });
}

/** As a command goes. */
function livesOf(sizes: readonly number[]): readonly RecordLife[] {
  const steps = sizes.map((size, step) => ({ is: "open", state: { step, text: "x".repeat(size) } }) as const);
  return [...steps, { is: "ended", outcome, sequence: 3 }, { is: "settled", outcomeDigest: "d" }];
}

test("commands that are recorded at once share a Secret, and few writes of it", async () => {
  const api = new SecretsApi();
  const store = storeOf(api);
  const ids = Array.from({ length: 16 }, (_, index) => `cmd_${index}`);
  const keepers = await Promise.all(ids.map((id) => open(store, id)));
  for (const life of livesOf([100])) await Promise.all(keepers.map((keeper) => keeper.write(life, signal)));
  expect([...api.secrets.keys()]).toEqual([expect.stringMatching(/^fairlead-cmds-/)]);
  expect(api.writes).toBeLessThanOrEqual(10);
  const found = await storeOf(api).list(signal);
  expect(found.map(({ record }) => [record.id, record.life.is]).toSorted()).toEqual(
    ids.map((id) => [id, "settled"]).toSorted(),
  );
});

test("whenever an agent dies, the next one finds what was recorded last, and no record more or less", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom(10, 3_000, 6_000), { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.record({ at: fc.integer({ min: 1, max: 30 }), tookEffect: fc.boolean() }),
      async (commands, death) => {
        const api = new SecretsApi();
        const dying = storeOf(api, death);
        /** How many writes each command was told of. */
        const told = commands.map(() => 0);
        const lives = commands.map((sizes) => [{ is: "open" } as const, ...livesOf(sizes)]);
        const all = commands.map(async (_, index) => {
          const keeper = await open(dying, `cmd_${index}`);
          for (const [done, life] of (lives[index] ?? []).entries()) {
            if (done > 0) await keeper.write(life, signal);
            told[index] = done + 1;
          }
        });
        await Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, 5))]);
        const next = storeOf(api);
        for (const index of commands.keys()) {
          const id = `cmd_${index}`;
          const mine = lives[index] ?? [];
          const keeper = await open(next, id, 2);
          const found = mine.findIndex((life) => JSON.stringify(life) === JSON.stringify(keeper.life));
          const last = told[index] ?? 0;
          // The next one may have arrived, and its answer not.
          expect([Math.max(last - 1, 0), last]).toContain(found);
          await keeper.write({ is: "settled", outcomeDigest: "by the next one" }, signal);
        }
        const listed = await storeOf(api).list(signal);
        expect(listed.map(({ record }) => [record.id, record.epoch, record.life]).toSorted()).toEqual(
          commands.map((_, index) => [`cmd_${index}`, 2, { is: "settled", outcomeDigest: "by the next one" }]),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("an agent that another one has followed writes no more of that command, and goes on with its others", async () => {
  const api = new SecretsApi();
  const [zombie, next] = [storeOf(api), storeOf(api)];
  const [lost, kept] = [await open(zombie, "cmd_lost"), await open(zombie, "cmd_kept")];
  await open(next, "cmd_lost", 2);
  const writes = [lost, kept].map((keeper) => keeper.write({ is: "open", state: 1 }, signal));
  await expect(writes[0]).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
  await writes[1];
  await expect(next.find("cmd_kept", signal, askedAtMs)).resolves.toMatchObject({ record: { life: { state: 1 } } });
  await expect(open(zombie, "cmd_lost", 1)).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
});

test("two agents that write in one page at the same time lose nothing of each other", async () => {
  const api = new SecretsApi();
  const stores = [storeOf(api), storeOf(api)];
  const ids = Array.from({ length: 20 }, (_, index) => `cmd_${index}`);
  const keepers = await Promise.all(ids.map((id, index) => open(stores[index % 2] as RecordStore, id)));
  for (const life of livesOf([10, 10])) await Promise.all(keepers.map((keeper) => keeper.write(life, signal)));
  const found = await storeOf(api).list(signal);
  expect(found.filter(({ record }) => record.life.is === "settled")).toHaveLength(ids.length);
});

test("one record that somebody broke hurts no other of its page", async () => {
  const api = new SecretsApi();
  const store = storeOf(api);
  const good = await open(store, "cmd_good");
  await open(store, "cmd_bad");
  api.edit((secret) => ({
    ...secret,
    data: { ...secret.data, cmd_bad: Buffer.from("nonsense").toString("base64") },
  }));
  await good.write({ is: "open", state: 1 }, signal);
  await open(store, "cmd_new");
  const other = storeOf(api);
  const listed = (await other.list(signal)).map(({ record }) => record.id);
  expect(listed.toSorted()).toEqual(["cmd_good", "cmd_new"]);
  await expect(other.find("cmd_bad", signal, askedAtMs)).rejects.toMatchObject({ code: "COMMAND_RECORD_INVALID" });
  // Nobody overwrites it unseen.
  await expect(open(other, "cmd_bad", 2)).rejects.toSatisfy((error) => executeErrors.is(error));
});

test("what comes when a page is full, or grows too large for it, has a Secret of its own, and is found there", async () => {
  const api = new SecretsApi();
  const store = storeOf(api);
  const ids = Array.from({ length: mostEntries + 3 }, (_, index) => `cmd_${index}`);
  const keepers: RecordKeeper[] = [];
  for (const id of ids) keepers.push(await open(store, id));
  expect(api.secrets.size).toBe(1 + 3);
  await keepers[0]?.write({ is: "open", state: "y".repeat(10_000) }, signal);
  expect(api.secrets.size).toBe(1 + 4);
  for (const keeper of keepers) await keeper.write({ is: "open", state: "last" }, signal);
  // Room that comes later isn't used: a command has its record in one place for ever.
  await store.remove("cmd_5", signal);
  await open(store, "cmd_late");
  expect(api.secrets.has("fairlead-cmd-late")).toBe(true);
  const other = storeOf(api);
  for (const id of ids.filter((each) => each !== "cmd_5"))
    await expect(other.find(id, signal, askedAtMs)).resolves.toMatchObject({ record: { life: { state: "last" } } });
  expect(await other.list(signal)).toHaveLength(ids.length);
});

test("records that have a Secret of their own are found, and gone on with where they are", async () => {
  const api = new SecretsApi();
  const before = createSecretRecords({ client: api.client() });
  const old = await open(before, "cmd_old", 1, { isLarge: true });
  await old.write({ is: "ended", outcome, sequence: 3 }, signal);
  const store = storeOf(api);
  // As a hub whose database was put back offers it again.
  expect((await open(store, "cmd_old")).life).toMatchObject({ is: "ended" });
  const keeper = await open(store, "cmd_old", 2);
  await keeper.write({ is: "settled", outcomeDigest: "d" }, signal);
  expect([...api.secrets.keys()]).toEqual(["fairlead-cmd-old"]);
  await expect(old.write({ is: "open" }, signal)).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
});

test("a page goes with its last record", async () => {
  const api = new SecretsApi();
  const store = storeOf(api);
  for (const id of ["cmd_1", "cmd_2"]) await open(store, id);
  const [first, second] = await storeOf(api).list(signal);
  await store.remove("cmd_1", signal, first?.version);
  expect(api.secrets.size).toBe(1);
  await store.remove("cmd_2", signal, second?.version);
  expect(api.secrets.size).toBe(0);
});
