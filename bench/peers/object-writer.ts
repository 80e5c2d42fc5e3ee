// Creates, changes and deletes many objects at an API server, in a process of its own. Each change carries its number and
// when it was sent, so that whoever sees it can tell how long that took.
import { Pool } from "undici";
import { serveParent } from "../harness/forked-peer.ts";
import { wallMs } from "../harness/wall-clock.ts";
import { type BenchKind, changeAnnotation, collectionPath, makeObject } from "../inventory/objects.ts";

let pool: Pool;
let authorization = "";
/** Over all changes of this process. */
let changes = 0;

serveParent({
  open({ url, caPem, token, connections }: { url: string; caPem: string; token: string; connections: number }) {
    pool = new Pool(url, { connections, pipelining: 1, allowH2: false, connect: { ca: caPem } });
    authorization = `Bearer ${token}`;
  },
  async create({ kind, from, to, workers }: { kind: BenchKind; from: number; to: number; workers: number }) {
    await spread(from, to, workers, async (index) => {
      await send("POST", collectionPath(kind, index), makeObject(kind, index));
    });
  },
  /** Each of them once. */
  async change({ kind, from, to, workers }: { kind: BenchKind; from: number; to: number; workers: number }) {
    await spread(from, to, workers, (index) => change(kind, index));
  },
  async remove({ kind, from, to, workers }: { kind: BenchKind; from: number; to: number; workers: number }) {
    await spread(from, to, workers, async (index) => {
      await send("DELETE", `${collectionPath(kind, index)}/${kind}-${index}`);
    });
  },
  /** All of them in turn, as fast as the API server answers. */
  async changeFor(options: { kind: BenchKind; count: number; durationMs: number; workers: number }) {
    const { kind, count, durationMs, workers } = options;
    const last = new Map<number, number>();
    const first = changes;
    const start = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: workers }, async () => {
        while (performance.now() - start < durationMs) {
          const index = next++ % count;
          last.set(index, await change(kind, index));
        }
      }),
    );
    return { first, changes: changes - first, seconds: (performance.now() - start) / 1000, last };
  },
});

async function change(kind: BenchKind, index: number): Promise<number> {
  const number = changes++;
  const annotations = { [changeAnnotation]: `${number} ${wallMs()}` };
  await send("PATCH", `${collectionPath(kind, index)}/${kind}-${index}`, { metadata: { annotations } });
  return number;
}

async function spread(from: number, to: number, workers: number, work: (index: number) => Promise<unknown>) {
  let next = from;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (next < to) await work(next++);
    }),
  );
}

async function send(method: "POST" | "PATCH" | "DELETE", path: string, content?: object): Promise<void> {
  const { statusCode, body } = await pool.request({
    method,
    path,
    headers: {
      authorization,
      "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
    },
    body: content === undefined ? null : JSON.stringify(content),
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${method} ${path} was answered ${statusCode}: ${text.slice(0, 300)}`);
}
