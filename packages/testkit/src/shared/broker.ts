import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toFairleadError } from "@fairlead/kernel";
import { type ComponentName, startCluster, type TestCluster } from "../cluster/index.ts";
import { openLeasePool } from "./lease-pool.ts";

export const brokerSocketVariable = "FAIRLEAD_SHARED_CLUSTER_SOCKET";

export type BrokerAnswer =
  | { readonly stateDir: string }
  | { readonly error: { readonly code: string; readonly message: string } };

/**
 * Serves one lazily started cluster, and clusters on lease, on a unix socket, whose path it puts into the environment of
 * workers to come. Each answer is a line. A lease ends with the connection by which it was asked for, whatever ends that.
 */
export async function startBroker(): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-broker-"));
  const socket = join(folder, "s");
  const pool = openLeasePool();
  const leased = new Map<string, TestCluster>();
  let cluster: Promise<TestCluster> | undefined;

  const lease = async (name: string, response: ServerResponse): Promise<void> => {
    const taken = await pool.take(name);
    const { stateDir } = taken;
    if (response.destroyed) return await pool.giveBack(taken);
    leased.set(stateDir, taken);
    response.once("close", () => {
      leased.delete(stateDir);
      void pool.giveBack(taken);
    });
    write(response, { stateDir });
  };
  const answer = async ({ pathname, searchParams }: URL, response: ServerResponse): Promise<void> => {
    const read = (name: string) => searchParams.get(name) ?? "";
    switch (pathname) {
      case "/shared": {
        cluster ??= startCluster({ name: "shared", nodes: 2 });
        write(response, { stateDir: (await cluster).stateDir });
        break;
      }
      case "/lease":
        return await lease(read("name"), response);
      default: {
        const part = leased.get(read("stateDir"))?.components[read("component") as ComponentName];
        if (pathname === "/start") await part?.start();
        else if (pathname === "/stop") await part?.stop({ graceMs: Number(read("graceMs")) });
        else if (pathname === "/pause") part?.pause();
        else part?.resume();
        write(response, { stateDir: read("stateDir") });
      }
    }
    response.end();
  };
  const server = createServer((request, response) => {
    answer(new URL(request.url ?? "/", "http://broker"), response).catch((thrown) => {
      const { code, message } = toFairleadError(thrown);
      write(response, { error: { code, message } });
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  process.env[brokerSocketVariable] = socket;
  return {
    async [Symbol.asyncDispose]() {
      delete process.env[brokerSocketVariable];
      const ended = pool[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      // A cluster that failed to start has cleaned up after itself.
      const started = await cluster?.catch(() => undefined);
      await Promise.all([started?.[Symbol.asyncDispose](), ended]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function write(response: ServerResponse, answer: BrokerAnswer): void {
  response.write(`${JSON.stringify(answer)}\n`);
}
