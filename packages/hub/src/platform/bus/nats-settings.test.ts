import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseNatsUrl, readNatsOptions } from "./nats-settings.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-nats-settings-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the address of a NATS server", () => {
  it.each([
    ["nats://127.0.0.1:4333", { host: "127.0.0.1", port: 4333, isSecure: false, where: "127.0.0.1:4333" }],
    [
      "tls://nats.example.com",
      { host: "nats.example.com", port: 4222, isSecure: true, where: "nats.example.com:4222" },
    ],
    ["tls://[::1]:4222/", { host: "::1", port: 4222, isSecure: true, where: "[::1]:4222" }],
  ])("is read from %s", (text, server) => {
    expect(parseNatsUrl(text)).toEqual(server);
  });

  it.each([
    "http://h:1",
    "h:4222",
    "tls://",
    "nats://u:geheim@h:1",
    "nats://geheim@h",
    "tls://h:1/geheim",
    "nats://h:x",
  ])("isn't %s, of which no word is repeated", (text) => {
    expect(() => parseNatsUrl(text)).toThrow(
      expect.objectContaining({ code: "BUS_SETTING_INVALID", message: expect.not.stringContaining("geheim") }),
    );
  });
});

describe("the files for a NATS server", () => {
  const server = parseNatsUrl("nats://127.0.0.1:4222");

  it("are asked for TLS only where the address or one of them says so", async () => {
    expect(await readNatsOptions(server, {})).toEqual({ servers: ["127.0.0.1:4222"] });
    const caFile = await write("ca.pem", "a certificate");
    expect(await readNatsOptions(server, { caFile })).toMatchObject({ tls: { ca: "a certificate" } });
    expect(await readNatsOptions(parseNatsUrl("tls://nats.example.com"), {})).toMatchObject({ tls: {} });
  });

  it("hold a user and a password, in which a colon may be", async () => {
    const credentialsFile = await write("user", "hub:ge:heim\n");
    const { authenticator } = await readNatsOptions(server, { credentialsFile });
    expect(typeof authenticator === "function" && authenticator()).toEqual({ user: "hub", pass: "ge:heim" });
  });

  it("are refused where they hold something else, or others may read them", async () => {
    const two = await write("two", "hub:a\nhub:b\n");
    const jwt = await write("jwt", "-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n");
    const open = await write("open", "hub:geheim", 0o644);
    for (const [credentialsFile, reason] of [
      [two, "neither a .creds file"],
      [jwt, "no NKEY seed"],
      [open, "mode 644"],
      [join(folder, "none"), "ENOENT"],
    ] as const) {
      await expect(readNatsOptions(server, { credentialsFile })).rejects.toMatchObject({
        code: "BUS_SETTING_INVALID",
        message: expect.stringContaining(reason),
      });
    }
  });
});

async function write(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text, { mode });
  return path;
}
