import { mkdtemp, rm } from "node:fs/promises";
import { createServer, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toFairleadError } from "@fairlead/kernel";
import { startCluster, type TestCluster } from "../cluster/index.ts";

export const brokerSocketVariable = "FAIRLEAD_SHARED_CLUSTER_SOCKET";

export type BrokerAnswer =
  | { readonly stateDir: string }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Serves one lazily started cluster on a unix socket, whose path it puts into the environment of workers to come. */
export async function startBroker(): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-broker-"));
  const socket = join(folder, "s");
  let cluster: Promise<TestCluster> | undefined;
  const server = createServer((_request, response) => {
    cluster ??= startCluster({ name: "shared", nodes: 2 });
    cluster.then(
      ({ stateDir }) => response.end(JSON.stringify({ stateDir } satisfies BrokerAnswer)),
      (thrown) => {
        const { code, message } = toFairleadError(thrown);
        response.end(JSON.stringify({ error: { code, message } } satisfies BrokerAnswer));
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  process.env[brokerSocketVariable] = socket;
  return {
    async [Symbol.asyncDispose]() {
      delete process.env[brokerSocketVariable];
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      // A cluster that failed to start has cleaned up after itself.
      const started = await cluster?.catch(() => undefined);
      await started?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits as long as it takes: the first start may build Kubernetes. The test's own timeout bounds it. */
export function askBroker(socket: string): Promise<BrokerAnswer> {
  return new Promise((resolve, reject) => {
    const call = get({ socketPath: socket, path: "/", timeout: 0 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("error", reject);
      response.once("end", () => resolve(JSON.parse(text) as BrokerAnswer));
    });
    call.once("error", reject);
  });
}
