// Ports for programs that must be told theirs beforehand. They lie below the range that outgoing connections
// take theirs from, so that a process which stops and starts again finds its port still free.
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { testkitErrors } from "../errors.ts";
import { type FileLock, tryFileLock } from "../locks/index.ts";

const firstPort = 20_000;
const portCount = 10_000;

export interface PortLease extends AsyncDisposable {
  readonly ports: readonly number[];
}

/** Ports that no other caller on this machine gets until they are released or this process ends. */
export async function reservePorts(count: number): Promise<PortLease> {
  const folder = join(process.env["FAIRLEAD_PORTS_DIR"] ?? tmpdir(), `fairlead-ports-${userInfo().uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const locks: FileLock[] = [];
  const ports: number[] = [];
  const start = Math.floor(Math.random() * portCount);
  for (let step = 0; step < portCount && ports.length < count; step++) {
    const port = firstPort + ((start + step) % portCount);
    const lock = await tryFileLock(join(folder, String(port)));
    if (lock === undefined) continue;
    if (await isFree(port)) {
      locks.push(lock);
      ports.push(port);
    } else await lock[Symbol.asyncDispose]();
  }
  const lease = { ports, [Symbol.asyncDispose]: () => releaseAll(locks) };
  if (ports.length === count) return lease;
  await releaseAll(locks);
  throw testkitErrors.TESTKIT_NO_PORT();
}

async function releaseAll(locks: readonly FileLock[]): Promise<void> {
  for (const lock of locks) await lock[Symbol.asyncDispose]();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
