// Plays people who edit applications on the hub's cluster, and Argo CD's controller, which writes statuses in the other one.
// In a process of its own. Each write carries a mark with its number and time, and watches on both sides tell when it came.
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import { serveParent } from "../harness/forked-peer.ts";
import { openLines } from "../harness/line-stream.ts";
import { wallMs } from "../harness/wall-clock.ts";

export interface Side {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  readonly namespace: string;
}

/** `down`: specs, from the hub to the cluster. `up`: statuses, from the cluster to the hub. */
export type Direction = "down" | "up";

export interface PairsAsked {
  readonly direction: Direction;
  /** `fairlead` carries a write to the other side; `direct`: the player writes there itself. */
  readonly way: "fairlead" | "direct";
  readonly workers: number;
  readonly seconds: number;
}

export interface OfferAsked {
  readonly direction: Direction;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Offered {
  readonly offered: number;
  /** States that came to the other side meanwhile, each second. */
  readonly cameEachSecond: number;
  /** Objects whose newest state didn't come. */
  readonly lost: number;
  readonly latenciesMs: readonly number[];
}

const group = "/apis/argoproj.io/v1alpha1/namespaces";
const connections = 64;
const patienceMs = 120_000;

const sides = {} as Record<"hub" | "cluster", PlayedSide>;
let count = 0;
let marks = 0;

serveParent({
  async open(options: { hub: Side; cluster: Side; count: number }) {
    count = options.count;
    sides.hub = await follow(options.hub);
    sides.cluster = await follow(options.cluster);
  },
  /** Makes all applications on the hub, and those that no agent looks after on both sides. Answers in seconds. */
  async create(): Promise<number> {
    const begunMs = performance.now();
    await spread(connections, (index) => create(sides.hub, `app-${index}`));
    await until(() => sides.cluster.marks.size >= count, "all applications are in the cluster");
    return (performance.now() - begunMs) / 1000;
  },
  async createPlain(): Promise<void> {
    await spread(connections, async (index) => {
      await create(sides.hub, `plain-${index}`, plainNamespace);
      await create(sides.cluster, `plain-${index}`, plainNamespace);
    });
  },
  pairs,
  offer,
  /** Changes so many of them on the hub, and waits for nothing. */
  async change(options: { changes: number }): Promise<void> {
    await Promise.all(Array.from({ length: options.changes }, (_, index) => write("down", `app-${index}`)));
  },
  /** How many differ between both sides. */
  differing: () =>
    [...sides.hub.marks].filter(([name, mark]) => sides.cluster.marks.get(name)?.spec !== mark.spec).length,
  async untilEqual(): Promise<number> {
    const isEqual = () =>
      [...sides.hub.marks].every(([name, { spec }]) => sides.cluster.marks.get(name)?.spec === spec);
    await until(isEqual, "both sides are equal");
    return wallMs();
  },
});

const plainNamespace = "plain";

interface Marks {
  readonly spec: string;
  readonly status: string;
}

interface PlayedSide extends Side {
  readonly pool: Pool;
  /** The newest of each application, by name. */
  readonly marks: Map<string, Marks>;
  readonly listeners: Set<(name: string, marks: Marks) => void>;
}

async function follow(side: Side): Promise<PlayedSide> {
  const pool = new Pool(side.url, { connections, pipelining: 1, allowH2: false, connect: { ca: side.caPem } });
  const played: PlayedSide = { ...side, pool, marks: new Map(), listeners: new Set() };
  const first = await openWatch(played);
  void keepReading(first, played);
  return played;
}

/** An API server ends the watch of a reader that was too slow for it. */
async function keepReading(first: AsyncIterable<string>, side: PlayedSide): Promise<never> {
  for (let watch = first; ; watch = await openWatch(side)) await read(watch, side).catch(() => undefined);
}

async function openWatch(side: PlayedSide): Promise<AsyncIterable<string>> {
  const { pool, url, caPem, token } = side;
  const authorization = `Bearer ${token}`;
  const path = `${group}/${side.namespace}/applications`;
  const list = await pool.request({ method: "GET", path, headers: { authorization } });
  const { items, metadata } = (await list.body.json()) as { items: Seen[]; metadata: { resourceVersion: string } };
  for (const item of items) note(side, item);
  return await openLines({
    route: { name: side.namespace, origin: url, pathPrefix: "", ca: caPem, authorization },
    path: `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`,
    signal: new AbortController().signal,
  });
}

async function read(lines: AsyncIterable<string>, side: PlayedSide): Promise<void> {
  for await (const line of lines) {
    const { type, object } = JSON.parse(line) as { type: string; object: Seen };
    if (type === "ERROR") return;
    if (type === "DELETED") side.marks.delete(object.metadata.name);
    else note(side, object);
  }
}

interface Seen {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly source: { readonly targetRevision: string } };
  readonly status?: { readonly sync?: { readonly revision?: string } };
}

function note(side: PlayedSide, { metadata: { name }, spec, status }: Seen): void {
  const marks = { spec: spec.source.targetRevision, status: status?.sync?.revision ?? "" };
  side.marks.set(name, marks);
  for (const listener of side.listeners) listener(name, marks);
}

/** Writes one after the other has come, with so many at a time; answers pairs of writes each second. */
async function pairs({ direction, way, workers, seconds }: PairsAsked): Promise<number> {
  const begunMs = performance.now();
  const isOver = () => performance.now() - begunMs > seconds * 1000;
  let done = 0;
  const waiting = new Map<string, (mark: string) => void>();
  const { target, part } = ends(direction);
  const listen = (name: string, marks: Marks): void => waiting.get(name)?.(marks[part]);
  target.listeners.add(listen);
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let index = worker; !isOver(); index = index + workers < count ? index + workers : worker) {
        if (way === "direct") await writeBoth(`plain-${index}`, direction);
        else await carry(`app-${index}`);
        done++;
      }
    }),
  );
  target.listeners.delete(listen);
  return done / ((performance.now() - begunMs) / 1000);

  async function carry(name: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const mark = nextMark();
    waiting.set(name, (came) => came === mark && resolve());
    await write(direction, name, mark);
    const timer = setTimeout(() => {
      throw new Error(`${name} didn't come within ${patienceMs / 1000} s`);
    }, patienceMs);
    await promise;
    clearTimeout(timer);
    waiting.delete(name);
  }
}

/** Writes at a steady rate whatever becomes of it. */
async function offer({ direction, perSecond, seconds }: OfferAsked): Promise<Offered> {
  const { source, target, part } = ends(direction);
  const latenciesMs: number[] = [];
  const newest = new Map<string, string>();
  const firstMark = marks;
  let came = 0;
  const listen = (_name: string, seen: Marks): void => {
    const [number = "", at = ""] = seen[part].split(" ");
    if (seen[part] === "" || Number(number) < firstMark) return;
    came++;
    latenciesMs.push(wallMs() - Number(at));
  };
  target.listeners.add(listen);
  const begunMs = performance.now();
  const total = perSecond * seconds;
  const open = new Set<Promise<void>>();
  for (let index = 0; index < total; index++) {
    const lateMs = performance.now() - begunMs - (index / perSecond) * 1000;
    if (lateMs < 0) await delay(-lateMs);
    const name = `app-${index % count}`;
    const mark = nextMark();
    newest.set(name, mark);
    const writing = write(direction, name, mark).finally(() => open.delete(writing));
    open.add(writing);
  }
  await Promise.all(open);
  const spentSeconds = (performance.now() - begunMs) / 1000;
  const cameEachSecond = came / spentSeconds;
  const isLate = () =>
    [...newest.keys()].filter((name) => target.marks.get(name)?.[part] !== source.marks.get(name)?.[part]);
  const deadline = performance.now() + patienceMs;
  while (isLate().length > 0 && performance.now() < deadline) await delay(20);
  target.listeners.delete(listen);
  return { offered: total / spentSeconds, cameEachSecond, lost: isLate().length, latenciesMs };
}

function ends(direction: Direction): { source: PlayedSide; target: PlayedSide; part: keyof Marks } {
  return direction === "down"
    ? { source: sides.hub, target: sides.cluster, part: "spec" }
    : { source: sides.cluster, target: sides.hub, part: "status" };
}

function nextMark(): string {
  return `${marks++} ${wallMs()}`;
}

async function write(direction: Direction, name: string, mark = nextMark()): Promise<void> {
  const { source } = ends(direction);
  await send(source, "PATCH", `${source.namespace}/applications/${name}`, changeOf(direction, mark));
}

async function writeBoth(name: string, direction: Direction): Promise<void> {
  const { source, target } = ends(direction);
  const change = changeOf(direction, nextMark());
  await send(source, "PATCH", `${plainNamespace}/applications/${name}`, change);
  await send(target, "PATCH", `${plainNamespace}/applications/${name}`, change);
}

function changeOf(direction: Direction, mark: string): object {
  if (direction === "down") return { spec: { source: { targetRevision: mark } } };
  return { status: { sync: { status: "Synced", revision: mark } } };
}

/** As a small application is that Argo CD has looked at: some 2 KB. */
async function create(side: PlayedSide, name: string, namespace = side.namespace): Promise<void> {
  await send(side, "POST", `${namespace}/applications`, {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace, labels: { team: "bench", app: name } },
    spec: {
      project: "default",
      source: {
        repoURL: "https://git.example.com/team/deployments.git",
        path: `apps/${name}`,
        targetRevision: "main",
        helm: { values: Array.from({ length: 30 }, (_, line) => `key${line}: "${"v".repeat(24)}"`).join("\n") },
      },
      destination: { server: "https://kubernetes.default.svc", namespace: name },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ["CreateNamespace=true"] },
    },
    status: {
      sync: { status: "OutOfSync" },
      resources: Array.from({ length: 6 }, (_, index) => ({
        version: "v1",
        kind: "ConfigMap",
        name: `${name}-${index}`,
      })),
    },
  });
}

async function spread(workers: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

async function send(side: PlayedSide, method: "POST" | "PATCH", path: string, content: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const { statusCode, body } = await side.pool.request({
    method,
    path: `${group}/${path}`,
    body: JSON.stringify(content),
    headers: { authorization: `Bearer ${side.token}`, "content-type": type },
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${method} ${path} was answered ${statusCode}: ${text.slice(0, 300)}`);
}

async function until(check: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!check()) {
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs / 1000} s in vain: ${what}`);
    await delay(5);
  }
}
