// Hubs hint to each other through a database that somebody else runs, as their settings say.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { startPgBouncer } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bus, type Hint, openBus } from "./bus/index.ts";
import { chooseBus } from "./choose-bus.ts";
import { readInvocation } from "./config/index.ts";
import { readDatabase } from "./platform.ts";
import { password, startTcpServer, type TcpServer } from "./store/database/tcp-server.fixture.ts";
import { openStore, type Store } from "./store/index.ts";
import { createLogger } from "./telemetry/index.ts";

let server: TcpServer;
let store: Store;
let folder: string;
let urlFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-bus-"));
  server = await startTcpServer();
  urlFile = join(folder, "url");
  await writeFile(urlFile, server.url());
  store = await openStore({ database: { source: { kind: "file", path: urlFile }, connections: 10 } });
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe("hubs with a database of somebody else", () => {
  it("hint through it, and again after it was away for a while", async () => {
    await using first = await open("hub_1");
    await using second = await open("hub_2", "--bus-listen-url-file", urlFile);
    expect([first.bus.adapter, first.bus.state, second.bus.state]).toEqual([
      "postgres",
      { kind: "up" },
      { kind: "up" },
    ]);
    await server.kill();
    for (const { bus } of [first, second]) await until(() => bus.state.kind === "away", "it is noticed");
    for (let index = 0; index < 1_000; index += 1) first.bus.hint("links", `lost-${index}`);
    await until(() => first.bus.counters.failed > 0, "messages fail");
    await server.start();
    for (const { heard } of [first, second])
      await until(() => heard.some(({ kind }) => kind === "everything"), "all is looked at", { timeoutMs: 60_000 });
    await until(
      () => {
        first.bus.hint("access");
        return second.heard.some((hint) => hint.kind === "topic" && hint.topic === "access");
      },
      "hints arrive again",
      { timeoutMs: 60_000 },
    );
  });

  it("listen where they are told to, with the password that is in the file then", async () => {
    const listenFile = join(folder, "listen-url");
    await writeFile(listenFile, server.url().replace(/:[^:@]+@/, ":wrong@"));
    await using first = await open("hub_1", "--bus-listen-url-file", listenFile);
    expect(first.bus.state).toMatchObject({
      kind: "away",
      error: { code: "BUS_AWAY", message: expect.stringContaining("password authentication failed") },
    });
    await writeFile(listenFile, server.url());
    await until(() => first.bus.state.kind === "up", "it is let in", { timeoutMs: 60_000 });
  });

  it("hear nothing behind PgBouncer that hands connections round, and say so", async () => {
    await using transactions = await startPgBouncer({ port: server.port, password }, "transaction");
    await using deaf = await open("hub_1", "--bus-listen-url-file", await writeUrl("deaf", transactions.port));
    await until(() => deaf.bus.state.kind === "away", "it is noticed");
    expect(deaf.bus.state).toMatchObject({ error: { code: "BUS_DEAF" } });
    await using second = await open("hub_2");
    deaf.bus.hint("access");
    await until(() => second.heard.length > 0, "others hear of it all the same");

    await using sessions = await startPgBouncer({ port: server.port, password }, "session");
    await using heard = await open("hub_3", "--bus-listen-url-file", await writeUrl("session", sessions.port));
    expect(heard.bus.state).toEqual({ kind: "up" });
  });

  it("don't start with an address that can't be read", async () => {
    const wrong = open("hub_1", "--bus-listen-url", "postgres://hub@/");
    await expect(wrong).rejects.toMatchObject({ code: "STORE_URL_INVALID" });
  });
});

async function writeUrl(name: string, port: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, server.url({ port }));
  return path;
}

interface Opened extends AsyncDisposable {
  readonly bus: Bus;
  readonly heard: readonly Hint[];
}

async function open(hubInstanceId: string, ...args: readonly string[]): Promise<Opened> {
  const invocation = readInvocation({ args: ["--database-url-file", urlFile, ...args], env: {} });
  if (invocation.kind !== "serve") throw new Error(invocation.kind);
  const { config } = invocation;
  const adapter = chooseBus(config, { database: readDatabase(config), store, clock: systemClock });
  const log = createLogger({ level: "silent", name: "test" });
  const bus = await openBus({ adapter, hubInstanceId, clock: systemClock, log });
  const heard: Hint[] = [];
  bus.onHint((hint) => heard.push(hint));
  return { bus, heard, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
}
