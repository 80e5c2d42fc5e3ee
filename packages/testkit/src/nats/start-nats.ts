// A NATS server on loopback that can be killed and started again on the same port.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningProcess, reservePorts, startProcess } from "../processes/index.ts";
import { ensureTools } from "../tools/index.ts";

export interface TestNats extends AsyncDisposable {
  readonly port: number;
  /** Without TLS, such as nats://127.0.0.1:4222. */
  readonly url: string;
  /** Holds `files`, the configuration and the log. */
  readonly folder: string;
  /** Goes to the server's process. */
  signal(name: "HUP" | "STOP" | "CONT"): void;
  kill(): Promise<void>;
  /** With the configuration as it is then. */
  start(): Promise<void>;
  /** Writes another configuration, for the next start or a HUP. */
  configure(config: string): Promise<void>;
  /** All that the server has printed. */
  readonly logFile: string;
}

export interface NatsOptions {
  /** Goes after the address into the configuration. DIR in it stands for the folder. */
  readonly config?: string;
  /** Written into the folder, by their names. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function startNats({ config = "", files = {} }: NatsOptions = {}): Promise<TestNats> {
  const tools = await ensureTools(["nats-server"]);
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-nats-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const lease = undo.use(await reservePorts(1));
  const port = lease.ports[0] ?? 0;
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const [configFile, logFile] = [join(folder, "nats.conf"), join(folder, "nats.log")];
  let running: RunningProcess | undefined;
  undo.defer(async () => void (await running?.stop()));
  await configure(config);
  await start();
  const owned = undo.move();
  return {
    port,
    folder,
    logFile,
    url: `nats://127.0.0.1:${port}`,
    start,
    configure,
    signal: (name) => running?.signal(name),
    async kill() {
      await running?.stop({ graceMs: 0 });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function configure(text: string): Promise<void> {
    const address = `server_name: test\nlisten: 127.0.0.1:${port}\n`;
    await writeFile(configFile, address + text.replaceAll("DIR", folder));
  }

  async function start(): Promise<void> {
    running = await startProcess({
      name: "nats-server",
      command: tools["nats-server"],
      args: ["-c", configFile],
      logFile,
      readyWhen: () => answers(port),
    });
  }
}

/** The server speaks first. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
    socket.once("end", () => resolve(false));
  });
}
