// Real TLS judges the hub's certificates: who gets in as a client, and which server is believed.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { createId } from "@fairlead/kernel";
import { createCsr, hubHost } from "@fairlead/protocol/x509";
import { describe, expect, it } from "vitest";
import { openPki, type Pki } from "./index.ts";

interface Verdict {
  readonly authorized: boolean;
  readonly error: string;
}

/** A client's view of a server at another hub's name: undefined when it is believed, else the error's code. */
async function believe(
  pki: Pki,
  server: { certPem: string; keyPem: string },
  { host, ...client }: { host: string; cert?: string; key?: string },
): Promise<string | undefined> {
  const listener = createServer({ cert: server.certPem, key: server.keyPem, ca: pki.caPem, requestCert: true });
  listener.on("tlsClientError", () => {});
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const socket = connect({ host: "127.0.0.1", port, ca: pki.caPem, servername: host, ...client });
  try {
    await once(socket, "secureConnect");
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
    listener.close();
  }
}

/** The server's view of a client that shows this certificate, over TLS 1.3 on loopback. */
async function present(pki: Pki, client: { certPem: string; keyPem: string }): Promise<Verdict> {
  const { certPem, keyPem } = await pki.issueServer({ names: [] });
  const server = createServer({
    cert: certPem,
    key: keyPem,
    ca: pki.caPem,
    requestCert: true,
    rejectUnauthorized: false,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, "secureConnection") as Promise<[TLSSocket]>;
  const socket = connect({ host: "127.0.0.1", port, ca: pki.caPem, cert: client.certPem, key: client.keyPem });
  const [peer] = await accepted;
  const verdict = { authorized: peer.authorized, error: String(peer.authorizationError ?? "") };
  socket.destroy();
  peer.destroy();
  server.close();
  return verdict;
}

async function issueAgent(pki: Pki, cluster = "east") {
  const { csrDer, keyPem } = await createCsr();
  const { certPem } = await pki.issueAgent({ csrDer, cluster, roles: ["proxy"], ttlMs: 60_000 });
  return { certPem, keyPem };
}

describe("between hubs", () => {
  const [one, two] = [createId("hub"), createId("hub")];
  const hostOf = (id: string): string => hubHost({ trustDomain: "fairlead.test", id });

  it("each is known to the other, as client and as server", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    const [server, client] = [await pki.issueHub({ id: one }), await pki.issueHub({ id: two })];
    expect(await present(pki, client)).toEqual({ authorized: true, error: "" });
    const own = { cert: client.certPem, key: client.keyPem };
    expect(await believe(pki, server, { host: hostOf(one), ...own })).toBeUndefined();
    expect(await believe(pki, server, { host: hostOf(two), ...own })).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  });

  it("an agent's certificate is no server's, whatever its cluster is called", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    for (const cluster of ["east", "hub", one.replace("_", "-")]) {
      const server = await issueAgent(pki, cluster);
      expect(await believe(pki, server, { host: hostOf(one) })).toMatch(/PURPOSE/);
    }
  });

  it("a listener's certificate is no hub's", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    const server = await pki.issueServer({ names: ["hub.test"] });
    expect(await believe(pki, server, { host: hostOf(one) })).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await present(pki, await pki.issueServer({ names: [hostOf(one)] }))).toMatchObject({ authorized: false });
  });

  it("one of another authority is neither", async () => {
    const [pki, other] = [
      await openPki({ trustDomain: "fairlead.test" }),
      await openPki({ trustDomain: "fairlead.test" }),
    ];
    const stranger = await other.issueHub({ id: one });
    expect(await present(pki, stranger)).toMatchObject({ authorized: false });
    expect(await believe(pki, stranger, { host: hostOf(one) })).toMatch(/SIGNATURE|ISSUER|VERIFY|SELF_SIGNED/);
  });
});

describe("over TLS", () => {
  it("an agent's certificate is a client's", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    expect(await present(pki, await issueAgent(pki))).toEqual({ authorized: true, error: "" });
  });

  it("the hub's own server certificate is no client's", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    const server = await pki.issueServer({ names: [] });
    expect(await present(pki, server)).toMatchObject({ authorized: false, error: expect.stringMatching(/PURPOSE/) });
  });

  it("an agent's certificate of another hub is refused", async () => {
    const [pki, other] = [
      await openPki({ trustDomain: "fairlead.test" }),
      await openPki({ trustDomain: "fairlead.test" }),
    ];
    expect(await present(pki, await issueAgent(other))).toMatchObject({ authorized: false });
  });

  it("an agent's certificate can't pose as the hub", async () => {
    const pki = await openPki({ trustDomain: "fairlead.test" });
    const { certPem, keyPem } = await issueAgent(pki);
    const server = createServer({ cert: certPem, key: keyPem });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    server.on("tlsClientError", () => {});
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: "127.0.0.1", port, ca: pki.caPem, checkServerIdentity: () => undefined });
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/PURPOSE/);
    server.close();
  });
});
