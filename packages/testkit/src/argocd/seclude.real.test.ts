import { createServer } from "node:net";
import { expect, test } from "vitest";
import { runCommand } from "../cluster/index.ts";
import { networkUnavailable } from "../errors.ts";
import { ensureTools } from "../tools/index.ts";

const refusal = "seclude: there can be no network of its own";

test("a secluded command reaches the ports it is given, and nothing else of the machine", async () => {
  const { seclude } = await ensureTools(["seclude"]);
  await using named = await startGreeter();
  await using other = await startGreeter();
  const script = `
    const greet = (port) => new Promise((resolve) => {
      const socket = require("node:net").connect(port, "127.0.0.1");
      socket.on("data", (chunk) => resolve(String(chunk))).on("error", ({ code }) => resolve(code));
    });
    const { networkInterfaces } = require("node:os");
    Promise.all([greet(${named.port}), greet(${other.port})]).then((said) => {
      console.log(JSON.stringify([...said, ...Object.keys(networkInterfaces())]));
      process.exit(7);
    });`;
  const args = ["--port", `${named.port}`, "--", process.execPath, "-e", script];
  const { code, stdout, stderr } = await runCommand(seclude, args, { allowFailure: true });
  if (stderr.includes(refusal)) throw networkUnavailable(stderr);
  expect([code, JSON.parse(stdout)]).toEqual([7, ["hello", "ECONNREFUSED", "lo"]]);
});

test("where there can be no network of its own the command does not run, and the reason is said", async () => {
  const { seclude } = await ensureTools(["seclude"]);
  const script = `echo 0 > /proc/sys/user/max_net_namespaces; exec ${seclude} -- echo ran`;
  const args = ["--user", "--map-root-user", "sh", "-c", script];
  const { code, stdout, stderr } = await runCommand("unshare", args, {
    allowFailure: true,
    env: { PATH: process.env["PATH"] ?? "" },
  });
  if (stderr.startsWith("unshare:")) throw networkUnavailable(stderr);
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(refusal) });
});

async function startGreeter(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((socket) => socket.end("hello"));
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const { port } = server.address() as { port: number };
  return { port, [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) };
}
