import { Agent, request } from "undici";
import { CpuMeter, type Processes, readFamilyCpuMs, readParent } from "../harness/cpu.ts";
import { median } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atLeast } from "../harness/targets.ts";
import type { CommandStage } from "./stage.ts";

const atATime = 16;

/**
 * Commands that change nothing, beside plain writes of Secrets of the size of a record to the same API server, in turn. Of
 * the first turn, in which programs warm up, nothing is counted. Processor time is that of the processes for all that they do
 * meanwhile.
 */
export async function measureThroughput(options: {
  stage: CommandStage;
  count: number;
  rounds: number;
  seconds: number;
}): Promise<Row[]> {
  const { stage, count, rounds, seconds } = options;
  await runNothing(stage, count);
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round++) {
    const writes = await writeObjects(stage, seconds);
    turns.push({ writes, ...(await runNothing(stage, count)) });
  }
  const ratio = median(turns.map(({ writes, perSecond }) => perSecond / writes));
  const processes = Object.keys(turns[0]?.cpuMs ?? {});
  return [
    {
      name: `commands that change nothing, ${atATime} at a time`,
      unit: "1/s",
      figures: {
        "object writes": median(turns.map(({ writes }) => writes)),
        fairlead: median(turns.map(({ perSecond }) => perSecond)),
        ratio,
      },
      targets: [atLeast(ratio, 0.4, "of the object writes")],
    },
    ...processes.map((name) => ({
      name: `processor time for each of them: ${name}`,
      unit: "ms",
      figures: { fairlead: median(turns.map(({ cpuMs }) => cpuMs[name] ?? 0)) },
    })),
  ];
}

interface Ran {
  readonly perSecond: number;
  /** For each command, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

interface Turn extends Ran {
  /** How many objects could be written each second just before. */
  readonly writes: number;
}

function listProcesses({ hub, joined, cluster }: CommandStage): Processes {
  return {
    hub: hub.process.pid ?? 0,
    agent: joined.agent.process.pid ?? 0,
    "API server": cluster.apiServer.pid ?? 0,
    etcd: cluster.components.etcd.pid ?? 0,
    "who asks": process.pid,
  };
}

async function readDatabaseMs({ postgres }: CommandStage): Promise<number> {
  const [child] = await postgres.query("select pid from pg_stat_activity where backend_type = 'checkpointer'");
  return readFamilyCpuMs(readParent((child as { pid: number }).pid));
}

/** Until the last one has ended; then each is looked at. */
async function runNothing(stage: CommandStage, count: number): Promise<Ran> {
  const databaseMs = await readDatabaseMs(stage);
  const meter = new CpuMeter(listProcesses(stage));
  const begunMs = performance.now();
  const ids: string[] = [];
  let next = 0;
  await inParallel(async () => {
    for (let turn = next++; turn < count; turn = next++)
      ids.push(
        await stage.submit({ set: `no-op-${turn}`, namespace: stage.namespace, manifests: "", allowEmpty: true }),
      );
  });
  await stage.untilIdle();
  const perSecond = (count / (performance.now() - begunMs)) * 1000;
  const cpuMs = { ...meter.readPerRequest(count), database: ((await readDatabaseMs(stage)) - databaseMs) / count };
  for (const id of ids) await stage.finish(id);
  return { perSecond, cpuMs };
}

/** Each second. */
async function writeObjects({ cluster, namespace }: CommandStage, seconds: number): Promise<number> {
  const dispatcher = new Agent({ allowH2: false, connect: { ca: cluster.caPem } });
  const headers = { authorization: `Bearer ${cluster.adminToken}`, "content-type": "application/json" };
  const url = `${cluster.url}/api/v1/namespaces/${namespace}/secrets`;
  const begunMs = performance.now();
  let written = 0;
  await inParallel(async (worker) => {
    const name = `plain-${worker}`;
    const write = async (method: "POST" | "PUT", to: string): Promise<void> => {
      const object = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name },
        data: { record: Buffer.from(`${written} ${"x".repeat(400)}`).toString("base64") },
      };
      const { statusCode, body } = await request(to, { method, dispatcher, headers, body: JSON.stringify(object) });
      await body.dump();
      if (statusCode > 299) throw new Error(`a write was answered ${statusCode}`);
      written++;
    };
    await write("POST", url);
    while (performance.now() - begunMs < seconds * 1000) await write("PUT", `${url}/${name}`);
    await request(`${url}/${name}`, { method: "DELETE", dispatcher, headers }).then(({ body }) => body.dump());
  });
  const each = (written / (performance.now() - begunMs)) * 1000;
  await dispatcher.close();
  return each;
}

async function inParallel(work: (worker: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: atATime }, (_, worker) => work(worker)));
}
