import { mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { cliErrors, fileNotWritten } from "../errors.ts";
import { hasErrno, pause } from "../files/index.ts";

/** The lock that `kubectl config` takes: a file beside the kubeconfig that must not be there yet. */
export async function lockKubeconfig(file: string, options: { waitMs: number }): Promise<AsyncDisposable> {
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  for (let waitedMs = 0; !(await take(file, lock)); waitedMs += stepMs) {
    if (waitedMs >= options.waitMs) throw cliErrors.CLI_KUBECONFIG_LOCKED({ file });
    await pause(stepMs);
  }
  return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) };
}

const stepMs = 100;

async function take(file: string, lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (thrown) {
    if (hasErrno(thrown, "EEXIST")) return false;
    throw fileNotWritten(file, thrown);
  }
}
