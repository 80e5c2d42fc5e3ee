// A registry of images, and the tool that most people push with, both from Debian's packages.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureDebianProgram, reservePorts, runCommand, startProcess } from "@fairlead/testkit";

export interface TestRegistry extends AsyncDisposable {
  /** Host and port; it speaks plain HTTP. */
  readonly host: string;
  /** Runs `skopeo ARGS…`, which verifies no signatures here. */
  skopeo(args: readonly string[]): Promise<string>;
}

export async function startRegistry(): Promise<TestRegistry> {
  await using undo = new AsyncDisposableStack();
  const registry = await ensureDebianProgram({ package: "docker-registry", program: "usr/bin/docker-registry" });
  const skopeo = await ensureDebianProgram({ package: "skopeo", program: "usr/bin/skopeo" });
  const [port] = undo.use(await reservePorts(1)).ports;
  const host = `127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), "fairlead-registry-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, "config.json");
  const storage = { filesystem: { rootdirectory: join(folder, "content") } };
  // YAML takes JSON.
  await writeFile(config, JSON.stringify({ version: 0.1, storage, http: { addr: host } }));
  undo.use(
    await startProcess({
      name: "docker-registry",
      command: registry.path,
      args: ["serve", config],
      env: { ...registry.env },
      logFile: join(folder, "log"),
      readyWhen: async () => (await fetch(`http://${host}/v2/`)).ok,
    }),
  );
  const kept = undo.move();
  return {
    host,
    async skopeo(args) {
      const env = { PATH: process.env["PATH"] ?? "", HOME: folder, ...skopeo.env };
      return (await runCommand(skopeo.path, ["--insecure-policy", ...args], { env, timeoutMs: 120_000 })).stdout;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
