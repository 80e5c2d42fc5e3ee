// Repositories over SSH, for the holder of one key.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProcess } from "../processes/index.ts";
import { ensureTools } from "../tools/index.ts";

export interface GitSsh extends AsyncDisposable {
  /** The URL of the repository of this name. */
  url(name: string): string;
  /** A line of known_hosts. */
  readonly knownHosts: string;
  /** The key that is let in. */
  readonly privateKey: string;
  /** A key that nobody has. */
  readonly otherKey: { readonly privateKey: string; readonly publicKey: string };
}

export async function startGitSsh({ root }: { readonly root: string }): Promise<GitSsh> {
  const { gitssh } = await ensureTools(["gitssh"]);
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-gitssh-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const makeKey = async (name: string) => {
    const path = join(folder, name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path]);
    return { path, privateKey: await readFile(path, "utf8"), publicKey: await readFile(`${path}.pub`, "utf8") };
  };
  const [host, user, otherKey] = [await makeKey("host"), await makeKey("user"), await makeKey("other")];
  const logFile = join(folder, "log");
  const args = ["--root", root, "--host-key", host.path, "--authorized-key", `${user.path}.pub`];
  const readPort = async (): Promise<string> => (await readFile(logFile, "utf8")).split("\n")[0] ?? "";
  undo.use(
    await startProcess({
      name: "gitssh",
      command: gitssh,
      args,
      logFile,
      env: { HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
      readyWhen: async () => /^\d+$/.test(await readPort()),
    }),
  );
  const port = await readPort();
  const owned = undo.move();
  return {
    url: (name) => `ssh://git@127.0.0.1:${port}/${name}`,
    knownHosts: `[127.0.0.1]:${port} ${host.publicKey.trim()}`,
    privateKey: user.privateKey,
    otherKey,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
