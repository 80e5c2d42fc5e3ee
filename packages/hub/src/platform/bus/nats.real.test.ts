// Hints over a real NATS server.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { createAuthority, issueCertificate, type KeyPairPem, startNats, type TestNats } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../telemetry/index.ts";
import { openBus } from "./bus.ts";
import { createNatsAdapter, type NatsAdapterOptions } from "./nats.ts";
import { createNatsAccounts } from "./nats-accounts.fixture.ts";
import type { Bus, Hint } from "./types.ts";

let authority: KeyPairPem;
let plain: TestNats;
beforeAll(async () => {
  [authority, plain] = await Promise.all([createAuthority("nats"), startNats()]);
});
afterAll(() => plain[Symbol.asyncDispose]());

describe("a bus over NATS", () => {
  it("tells other hubs of the same prefix, and not the one that hints", async () => {
    await using first = await open("hub_1", plain);
    await using second = await open("hub_2", plain);
    await using stranger = await open("hub_3", plain, { subjectPrefix: "others" });
    expect([first, second, stranger].map(({ bus }) => bus.state.kind)).toEqual(["up", "up", "up"]);
    first.bus.hint("links", "east");
    await expect.poll(() => second.heard).toEqual([{ kind: "topic", topic: "links", details: ["east"] }]);
    expect([first.heard, stranger.heard]).toEqual([[], []]);
  });

  it("goes on when the server was killed and is there again, and keeps nothing for it meanwhile", async () => {
    await using first = await open("hub_1", plain);
    await using second = await open("hub_2", plain);
    for (let round = 1; round <= 2; round += 1) {
      await plain.kill();
      for (const { bus } of [first, second]) await until(() => bus.state.kind === "away", "it is noticed");
      for (let index = 0; index < 100; index += 1) first.bus.hint("links", `lost-${index}`);
      await until(() => first.bus.counters.failed >= round, "a message fails");
      await plain.start();
      for (const { heard } of [first, second])
        await until(() => heard.filter(({ kind }) => kind === "everything").length === round, "all is looked at", {
          timeoutMs: 60_000,
        });
      first.bus.hint("access", `round ${round}`);
      await expect
        .poll(() => second.heard.at(-1))
        .toEqual({ kind: "topic", topic: "access", details: [`round ${round}`] });
      expect(JSON.stringify(second.heard)).not.toContain("lost");
    }
    expect(first.logged.map(({ level }) => level)).toEqual(["warn", "info", "warn", "info"]);
  });

  it("notices a server that is silent", async () => {
    await using server = await startNats();
    await using first = await open("hub_1", server);
    server.signal("STOP");
    await until(() => first.bus.state.kind === "away", "it is noticed", { timeoutMs: 90_000 });
    server.signal("CONT");
    await until(() => first.bus.state.kind === "up", "it is there again", { timeoutMs: 90_000 });
  });

  it("that isn't there at the start is away, and comes when it does", async () => {
    await using server = await startNats();
    await server.kill();
    await using first = await open("hub_1", server);
    expect(first.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_AWAY" } });
    expect(first.logged).toHaveLength(1);
    await server.start();
    await until(() => first.bus.state.kind === "up", "it is there", { timeoutMs: 60_000 });
  });

  it("shows its certificate, whose name is its user", async () => {
    await using server = await startSecure();
    const certificate = await issueCertificate(authority, { commonName: "x", usage: "client", dnsNames: ["hub.test"] });
    const files = await writePair(server, "hub", certificate);
    const caFile = join(server.folder, "ca.pem");
    await using first = await open("hub_1", server, { ...files, caFile });
    await using second = await open("hub_2", server, { ...files, caFile });
    expect(first.bus.state).toEqual({ kind: "up" });
    first.bus.hint("access");
    await expect.poll(() => second.heard).toEqual([{ kind: "topic", topic: "access", details: undefined }]);

    const stranger = await issueCertificate(authority, { commonName: "x", usage: "client", dnsNames: ["no.test"] });
    await using refused = await open("hub_3", server, { ...(await writePair(server, "no", stranger)), caFile });
    expect(refused.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_REFUSED" } });

    await using unsafe = await open("hub_4", server, files);
    expect(unsafe.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_TLS" } });

    // Whether its refusal arrives before it hangs up is a matter of luck.
    await using none = await open("hub_5", server, { caFile });
    await until(() => none.bus.state.kind === "away", "it gives up waiting");
    expect(none.bus.state).toMatchObject({
      error: {
        code: expect.stringMatching(/^BUS_(?:CERTIFICATE_WANTED|TIMEOUT)$/),
        hint: expect.stringContaining("--bus-nats-cert-file"),
      },
    });
  });

  it("takes no certificate that is another's, and no server that does without TLS", async () => {
    await using server = await startSecure({ ipAddresses: [], dnsNames: ["localhost", "elsewhere.test"] });
    const caFile = join(server.folder, "ca.pem");
    await using byAddress = await open("hub_1", server, { caFile });
    expect(byAddress.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_TLS" } });
    await using plainly = await open("hub_2", plain, { caFile });
    expect(plainly.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_TLS" } });
  });

  it("shows a user and a password, and takes another one from the file when it is refused", async () => {
    await using server = await startNats({ config: "authorization { user: hub, password: geheim }\n" });
    const credentialsFile = join(server.folder, "credentials");
    await writeFile(credentialsFile, "hub:falsch\n", { mode: 0o600 });
    await using first = await open("hub_1", server, { credentialsFile });
    expect(first.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_REFUSED" } });
    await writeFile(credentialsFile, "hub:geheim\n");
    await until(() => first.bus.state.kind === "up", "it is let in", { timeoutMs: 60_000 });
    expect(JSON.stringify(first.logged)).not.toMatch(/geheim|falsch/);
  });

  it("shows a .creds file", async () => {
    const { config, creds } = createNatsAccounts();
    await using server = await startNats({ config, files: { "hub.creds": creds } });
    await using first = await open("hub_1", server, { credentialsFile: join(server.folder, "hub.creds") });
    expect(first.bus.state).toEqual({ kind: "up" });
    await using nobody = await open("hub_2", server);
    expect(nobody.bus.state).toMatchObject({ kind: "away", error: { code: "BUS_REFUSED" } });
  });

  it.each([
    ["publish", "publish to"],
    ["subscribe", "subscribe to"],
  ])("that mustn't %s is away and says why, once", async (denied, operation) => {
    const permissions = `permissions: { ${denied}: { deny: ["fairlead.hints"] } }`;
    await using server = await startNats({
      config: `authorization { users: [ { user: hub, password: p, ${permissions} } ] }\n`,
      files: { credentials: "hub:p" },
    });
    await using first = await open("hub_1", server, { credentialsFile: join(server.folder, "credentials") });
    expect(first.bus.state).toMatchObject({
      kind: "away",
      error: { code: "BUS_FORBIDDEN", message: expect.stringContaining(`${operation} fairlead.hints`) },
    });
    expect(first.logged.map(({ err }) => err?.code)).toEqual(["BUS_FORBIDDEN"]);
    await server.configure("authorization { users: [ { user: hub, password: p } ] }\n");
    server.signal("HUP");
    await until(() => first.bus.state.kind === "up", "it is allowed", { timeoutMs: 60_000 });
  });

  it("ends its start with files that aren't there", async () => {
    await expect(open("hub_1", plain, { caFile: "/nowhere/ca.pem" })).rejects.toMatchObject({
      code: "BUS_SETTING_INVALID",
    });
  });
});

/** Lets in whoever shows a certificate for hub.test. */
async function startSecure(
  names: { readonly ipAddresses: readonly string[]; readonly dnsNames?: readonly string[] } = {
    ipAddresses: ["127.0.0.1"],
  },
): Promise<TestNats> {
  const { certPem, keyPem } = await issueCertificate(authority, { commonName: "server", usage: "server", ...names });
  return await startNats({
    files: { "ca.pem": authority.certPem, "server.pem": certPem, "server.key": keyPem },
    config: `
      tls { cert_file: "DIR/server.pem", key_file: "DIR/server.key", ca_file: "DIR/ca.pem", verify_and_map: true, timeout: 30 }
      authorization { users: [ { user: "hub.test", permissions: { publish: ["fairlead.>"], subscribe: ["fairlead.>"] } } ] }
    `,
  });
}

async function writePair(
  { folder }: TestNats,
  name: string,
  { certPem, keyPem }: KeyPairPem,
): Promise<{ readonly certFile: string; readonly keyFile: string }> {
  const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  await writeFile(certFile, certPem);
  await writeFile(keyFile, keyPem, { mode: 0o600 });
  return { certFile, keyFile };
}

interface Opened extends AsyncDisposable {
  readonly bus: Bus;
  readonly heard: readonly Hint[];
  readonly logged: readonly { readonly level: string; readonly err?: { readonly code: string } }[];
}

async function open(
  hubInstanceId: string,
  { url }: TestNats,
  options: Partial<NatsAdapterOptions> = {},
): Promise<Opened> {
  const heard: Hint[] = [];
  const logged: { level: string; err?: { code: string } }[] = [];
  const log = createLogger({
    level: "info",
    name: "test",
    destination: { write: (line) => void logged.push(JSON.parse(line)) },
  });
  const adapter = createNatsAdapter({ urls: [url], subjectPrefix: "fairlead", clock: systemClock, ...options });
  const bus = await openBus({ adapter, hubInstanceId, clock: systemClock, log });
  bus.onHint((hint) => heard.push(hint));
  return { bus, heard, logged, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
}
