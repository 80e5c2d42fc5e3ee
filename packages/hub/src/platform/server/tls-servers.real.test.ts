// A listener's certificate changes under way: new connections get the new one, old ones go on.

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { createMovableClock } from "@fairlead/kernel/testing";
import { createAuthority } from "@fairlead/protocol/x509";
import { expect, it } from "vitest";
import { openTestHub } from "../../hub.fixture.ts";

it("the hub's own certificates are renewed before they end, on both listeners", async () => {
  const clock = createMovableClock(Date.now());
  await using harness = await openTestHub({ clock });
  const urls = [harness.hub.peopleUrl, harness.hub.agentUrl];
  const old = await Promise.all(urls.map(openConnection));
  const oldSerials = old.map(serialOf);
  clock.move(21 * dayMs);
  for (const [index, url] of urls.entries()) {
    const renewed = await untilOther(url, oldSerials[index] ?? "");
    expect(Date.parse(renewed.getPeerCertificate().valid_to)).toBeGreaterThan(clock.now() + 20 * dayMs);
    expect(await ask(renewed)).toMatch(answered);
    renewed.destroy();
    const oldest = old[index];
    if (!oldest) throw new Error("no connection");
    expect(await ask(oldest)).toMatch(answered);
    expect(serialOf(oldest)).toBe(oldSerials[index]);
    oldest.destroy();
  }
}, 60_000);

it("certificates that someone else renews are read again when their files change", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-tls-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true }));
  const authority = await createAuthority({ commonName: "someone else", days: 1 });
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const replace = async (): Promise<void> => {
    const { certPem, keyPem } = await authority.issueServerCertificate({ names: ["localhost"], ttlMs: dayMs });
    await Promise.all([writeFile(certFile, certPem), writeFile(keyFile, keyPem)]);
  };
  await replace();
  const harness = undo.use(await openTestHub({ args: ["--tls-cert-file", certFile, "--tls-key-file", keyFile] }));
  const old = await openConnection(harness.hub.peopleUrl);
  await replace();
  const renewed = await untilOther(harness.hub.peopleUrl, serialOf(old));
  expect(await ask(renewed)).toMatch(answered);
  expect(await ask(old)).toMatch(answered);
  for (const socket of [old, renewed]) socket.destroy();
}, 60_000);

async function openConnection(url: string): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

async function untilOther(url: string, oldSerial: string): Promise<TLSSocket> {
  for (;;) {
    const socket = await openConnection(url);
    if (serialOf(socket) !== oldSerial) return socket;
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function serialOf(socket: TLSSocket): string {
  return socket.getPeerCertificate().serialNumber;
}

/** A request that leaves the connection open. */
async function ask(socket: TLSSocket): Promise<string> {
  socket.write("GET /healthz HTTP/1.1\r\nHost: hub\r\n\r\n");
  return String((await once(socket, "data"))[0]);
}

/** Agents' listener has no such path, which is an answer, too. */
const answered = /^HTTP\/1\.1 (?:200|404) /;
const dayMs = 24 * 60 * 60_000;
