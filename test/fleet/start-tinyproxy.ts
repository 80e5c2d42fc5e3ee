import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureDebianProgram, reservePorts, startProcess } from "@fairlead/testkit";
import { accepts } from "./accepts.ts";

export interface TestTinyproxy extends AsyncDisposable {
  readonly url: URL;
  readLog(): Promise<string>;
}

/** A small proxy without a password. */
export async function startTinyproxy(): Promise<TestTinyproxy> {
  await using undo = new AsyncDisposableStack();
  const program = await ensureDebianProgram({ package: "tinyproxy-bin", program: "usr/bin/tinyproxy" });
  const [port = 0] = undo.use(await reservePorts(1)).ports;
  const folder = await mkdtemp(join(tmpdir(), "fairlead-tinyproxy-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const logFile = join(folder, "tinyproxy.log");
  const lines = [`Port ${port}`, "Listen 127.0.0.1", "Timeout 600", "Allow 127.0.0.1", "LogLevel Connect"];
  await writeFile(join(folder, "tinyproxy.conf"), `${lines.join("\n")}\n`);
  undo.use(
    await startProcess({
      name: "tinyproxy",
      command: program.path,
      args: ["-d", "-c", join(folder, "tinyproxy.conf")],
      env: { ...program.env },
      logFile,
      readyWhen: () => accepts(port),
      readyTimeoutMs: 30_000,
    }),
  );
  const release = undo.move();
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    readLog: () => readFile(logFile, "utf8"),
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}
