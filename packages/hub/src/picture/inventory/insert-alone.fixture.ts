// A program for measuring: reads objects from a hub, and says how long the SQL takes that puts them into an empty store
// on disk, in batches as the writer makes them. Settings come as JSON on standard input.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { systemClock } from "@fairlead/kernel";
import { toVersion } from "@fairlead/protocol";
import { openStore } from "../../platform/store/index.ts";
import { createObjectStore } from "./object-store.ts";
import { type IncomingRow, readChange } from "./read-change.ts";

interface Page {
  readonly items: readonly {
    readonly kind: string;
    readonly object: { readonly metadata: { readonly uid: string } };
  }[];
  readonly next?: string;
}

const settings = JSON.parse(readFileSync(0, "utf8")) as { url: string; caPem: string; token: string; kinds: string[] };
const folder = await mkdtemp(join(tmpdir(), "fairlead-store-"));
try {
  const rows = await readRows();
  const store = await openStore({ dataDir: folder });
  const startedAt = performance.now();
  for (const batch of toBatches(rows)) await createObjectStore(store.db).apply(batch, systemClock.now());
  const seconds = (performance.now() - startedAt) / 1000;
  await store[Symbol.asyncDispose]();
  console.log(JSON.stringify({ seconds, objects: rows.length }));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function readRows(): Promise<IncomingRow[]> {
  const rows: IncomingRow[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ kind: settings.kinds.join(","), limit: "500", include: "object" });
    query.set("cluster", "bench");
    if (cursor !== undefined) query.set("cursor", cursor);
    const page = await get(`/api/v1/objects?${query}`);
    for (const { kind, object } of page.items) {
      const objectJson = Buffer.from(JSON.stringify(object));
      const { uid } = object.metadata;
      const change = { uid, deleted: false, objectJson, version: toVersion(objectJson) };
      const row = readChange(change as never, { cluster: "bench", kind, nowMs: systemClock.now() });
      if (row.type === "apply") rows.push(row);
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return rows;
}

function get(path: string): Promise<Page> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${settings.token}` };
    request(settings.url + path, { ca: settings.caPem, headers }, (answer) => {
      if (answer.statusCode === 200) json(answer).then((page) => resolve(page as Page), reject);
      else reject(new Error(`${path} was answered ${answer.statusCode}`));
    })
      .on("error", reject)
      .end();
  });
}

/** As large as the writer's may be. */
function* toBatches(rows: readonly IncomingRow[]): Generator<IncomingRow[]> {
  let batch: IncomingRow[] = [];
  let sizeBytes = 0;
  for (const row of rows) {
    if (batch.length === 1_000 || (batch.length > 0 && sizeBytes + row.body.length > 384 * 1024)) {
      yield batch;
      batch = [];
      sizeBytes = 0;
    }
    batch.push(row);
    sizeBytes += row.body.length;
  }
  if (batch.length > 0) yield batch;
}
