// The proof of the disk: PostgreSQL keeps on it what it promised to keep, and loses what it didn't sync.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { expect, it } from "vitest";
import { choosePositions } from "./choose-positions.ts";
import { type ForgetfulDisk, mountForgetful } from "./mount-forgetful.ts";
import { initServer, startServer, type TestServer } from "./postgres.fixture.ts";

const writers = 4;
const rowsEach = 60;
const cuts = 6;

it("PostgreSQL has each acknowledged row after a power cut at any sync, and lacks rows when it doesn't sync", async () => {
  await using disk = await mountForgetful();
  const dataDir = join(disk.folder, "data");
  await initServer({ dataDir, launcher: disk.launcher });
  const acknowledged = new Map<number, number>();
  const first = await runServer(disk, {}, async (server) => {
    const client = await server.connect();
    await client.query("create table rows (id int primary key, text text)");
    const started = await disk.position();
    const clients = await Promise.all(Array.from({ length: writers }, () => server.connect()));
    await Promise.all(
      clients.map(async (writer, index) => {
        const from = index * rowsEach;
        await insertRows({ client: writer, disk, acknowledged, from, to: from + rowsEach / 2 });
        // Pages of the table reach the disk as well, and not in order.
        if (index === 0) await client.query("checkpoint");
        await insertRows({ client: writer, disk, acknowledged, from: from + rowsEach / 2, to: from + rowsEach });
      }),
    );
    return started;
  });
  const moments = await disk.moments({ after: first, upTo: await disk.position() });
  expect(moments.length).toBeGreaterThan(writers * cuts);
  const seed = Math.floor(Math.random() * 2 ** 31);
  for (const position of choosePositions({ from: moments, count: cuts, seed })) {
    for (const unsynced of ["lost", "some"] as const) {
      const rows = await readRowsAfterCut(disk, { position, unsynced, seed });
      const missing = acknowledgedUpTo(acknowledged, position).filter((id) => !rows.has(id));
      expect(missing, `cut at ${position} with ${unsynced}, seed ${seed}`).toEqual([]);
    }
  }

  const unsafe = new Map<number, number>();
  const before = acknowledged.size;
  await runServer(disk, { fsync: "off" }, async (server) => {
    const client = await server.connect();
    await insertRows({ client, disk, acknowledged: unsafe, from: before, to: before + 20 });
  });
  const rows = await readRowsAfterCut(disk, { position: Math.max(...unsafe.values()), unsynced: "lost" });
  expect([...acknowledged.keys()].filter((id) => !rows.has(id))).toEqual([]);
  expect([...unsafe.keys()].filter((id) => rows.has(id))).toEqual([]);
});

/** Ends the server by a kill: nothing is synced in farewell. */
async function runServer<T>(
  disk: ForgetfulDisk,
  settings: Readonly<Record<string, string>>,
  work: (server: TestServer) => Promise<T>,
): Promise<T> {
  const dataDir = join(disk.folder, "data");
  await using server = await startServer({ dataDir, launcher: disk.launcher, settings });
  return await work(server);
}

async function insertRows(options: {
  readonly client: pg.Client;
  readonly disk: ForgetfulDisk;
  /** Takes each row's position. */
  readonly acknowledged: Map<number, number>;
  readonly from: number;
  readonly to: number;
}): Promise<void> {
  const { client, disk, acknowledged, from, to } = options;
  for (let id = from; id < to; id++) {
    await client.query("insert into rows values ($1, repeat('text', 200))", [id]);
    acknowledged.set(id, await disk.position());
  }
}

function acknowledgedUpTo(acknowledged: ReadonlyMap<number, number>, position: number): number[] {
  return [...acknowledged].filter(([, at]) => at <= position).map(([id]) => id);
}

async function readRowsAfterCut(
  disk: ForgetfulDisk,
  cut: { readonly position: number; readonly unsynced: "lost" | "some"; readonly seed?: number },
): Promise<ReadonlySet<number>> {
  const to = join(disk.memory, "cut");
  try {
    await disk.materialise({ ...cut, to });
    await using server = await startServer({ dataDir: join(to, "data"), launcher: disk.launcher });
    const client = await server.connect();
    const { rows } = await client.query<{ id: number }>("select id from rows");
    return new Set(rows.map(({ id }) => id));
  } finally {
    await rm(disk.view(to), { recursive: true });
  }
}
