// Real TLS judges the hub's certificates: who gets in as a client, and which server is believed.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { createCsr } from "@fairlead/protocol/x509";
import { describe, expect, it } from "vitest";
import { openPki, type Pki } from "./index.ts";

interface Verdict {
  readonly authorized: boolean;
  readonly error: string;
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

async function issueAgent(pki: Pki) {
  const { csrDer, keyPem } = await createCsr();
  const { certPem } = await pki.issueAgent({ csrDer, cluster: "east", roles: ["proxy"], ttlMs: 60_000 });
  return { certPem, keyPem };
}

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
