import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";

/** Ends the PostgreSQL that a hub left running on its data folder, as one does that was killed. Fine when there is none. */
export async function endDatabase(dataDir: string): Promise<void> {
  for (const pid of await findServers(join(dataDir, "postgres"))) {
    signal(pid, "SIGQUIT");
    signal(pid, "SIGCONT");
    if (!(await waitUntil(() => !signal(pid, 0), { timeoutMs: 10_000, intervalMs: 10 }))) signal(pid, "SIGKILL");
  }
}

async function findServers(folder: string): Promise<readonly number[]> {
  const pids: number[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name, "postmaster.pid");
    const pid = Number((await readFile(file, "utf8").catch(() => "")).split("\n")[0]);
    if (pid > 1 && (await isPostgres(pid))) pids.push(pid);
  }
  return pids;
}

/** Pids are used again. */
async function isPostgres(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => undefined);
  return process.platform === "linux" ? name?.startsWith("postgres") === true : true;
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
