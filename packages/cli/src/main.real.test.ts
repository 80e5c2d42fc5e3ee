import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { programArgs } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { createCli } from "./testing/cli.fixture.ts";
import { startContractHub } from "./testing/hub.fixture.ts";

function start(home: string, args: readonly string[]) {
  const child = spawn(process.execPath, [...programArgs("cli"), ...args], {
    env: { HOME: home, PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { child, exited: once(child, "exit") as Promise<[number | null, string | null]> };
}

test("the process prints, exits with the code, and leaves nothing running", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const { child, exited } = start(cli.home, ["whoami", "--json"]);
  const output = await child.stdout.toArray();

  expect(await exited).toEqual([0, null]);
  expect(JSON.parse(Buffer.concat(output).toString())).toMatchObject({ name: "admin", hub: hub.url });
});

test("a failure is the process's exit code", async () => {
  await using cli = await createCli();

  expect(await start(cli.home, ["whoami"]).exited).toEqual([3, null]);
});

test("Ctrl-C ends a call that waits, quietly and with 130", async () => {
  await using cli = await createCli();
  const silent = createServer((socket) => socket.on("error", () => undefined));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  await using hub = await startContractHub();
  await cli.signIn({ ...hub, url });

  const { child, exited } = start(cli.home, ["whoami"]);
  const [socket] = await once(silent, "connection");
  child.kill("SIGINT");

  expect(await exited).toEqual([130, null]);
  expect(Buffer.concat(await child.stderr.toArray()).toString()).toBe("");
  socket.destroy();
  silent.close();
});

test("a reader that stops early is no failure", async () => {
  await using cli = await createCli();
  const { child, exited } = start(cli.home, ["completion", "bash"]);
  child.stdout.destroy();

  expect((await exited)[0]).toBe(0);
  expect(Buffer.concat(await child.stderr.toArray()).toString()).toBe("");
});
