import { Agent, request } from "undici";
import type { Row } from "../harness/table.ts";
import { atLeast } from "../harness/targets.ts";
import type { CommandStage } from "./stage.ts";

const atATime = 16;

/** Commands that change nothing, beside plain writes of Secrets of the size of a record to the same API server. */
export async function measureThroughput(options: {
  stage: CommandStage;
  count: number;
  seconds: number;
}): Promise<Row[]> {
  const { stage, count, seconds } = options;
  const before = await writeObjects(stage, seconds);
  const commands = await runNothing(stage, count);
  const after = await writeObjects(stage, seconds);
  const writes = (before + after) / 2;
  return [
    {
      name: `commands that change nothing, ${atATime} at a time`,
      unit: "1/s",
      figures: { "object writes": writes, fairlead: commands, ratio: commands / writes },
      targets: [atLeast(commands / writes, 0.4, "of the object writes")],
    },
  ];
}

async function runNothing(stage: CommandStage, count: number): Promise<number> {
  const begunMs = performance.now();
  const ids: string[] = [];
  let next = 0;
  await inParallel(async () => {
    for (let turn = next++; turn < count; turn = next++)
      ids.push(
        await stage.submit({ set: `no-op-${turn}`, namespace: stage.namespace, manifests: "", allowEmpty: true }),
      );
  });
  for (const id of ids) await stage.finish(id);
  return (count / (performance.now() - begunMs)) * 1000;
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
        ...{ apiVersion: "v1", kind: "Secret", metadata: { name } },
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
