// A hub on a folder that another one has left, as after a power cut.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ForgetfulDisk, findLogLines, startProgram, type TestHub } from "@fairlead/testkit";
import type { HubAddress } from "./hub-address.ts";

export interface NextHub extends HubAddress, AsyncDisposable {}

export async function startNextHub(options: {
  readonly disk: ForgetfulDisk;
  readonly dataDir: string;
  readonly logFile: string;
  /** The one before; undefined when that never served. */
  readonly before: Pick<TestHub, "adminToken"> | undefined;
}): Promise<NextHub> {
  const { disk, dataDir, logFile, before } = options;
  const findReady = async () => (await findLogLines(logFile, "hub is ready")).at(-1);
  const running = await startProgram("hub", {
    args: ["--data-dir", dataDir, "--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"],
    env: { HOME: dataDir },
    launcher: disk.launcher,
    logFile,
    readyWhen: async () => (await findReady()) !== undefined,
    readyTimeoutMs: 120_000,
  });
  const ready = await findReady();
  return {
    port: readPort(ready?.["listen"]),
    agentPort: readPort(ready?.["agentListen"]),
    adminToken: before?.adminToken ?? "",
    caPem: await readFile(disk.view(join(dataDir, "pki", "ca.pem")), "utf8"),
    async [Symbol.asyncDispose]() {
      await running.stop({ graceMs: 0 });
    },
  };
}

function readPort(url: unknown): number {
  return Number(new URL(String(url)).port);
}
