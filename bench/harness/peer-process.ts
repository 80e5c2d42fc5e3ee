import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repoRoot } from "@fairlead/testkit";

export interface PeerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
}

/** A program in bench/peers that reads its settings from standard input and says its port. */
export async function startPeer(file: string, settings: object): Promise<PeerProcess> {
  const child = spawn(process.execPath, ["--conditions=@fairlead/source", join(repoRoot, "bench", "peers", file)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(settings));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { port } = JSON.parse(String(value)) as { port: number };
  return {
    port,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}
