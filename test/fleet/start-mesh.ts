// A service mesh as agents and hub see one: sidecars that take agents' plain connections, a gateway before the hub, and
// mutual TLS between them with identities that the mesh gives out. The gateway writes them into a header, behind whatever
// came with the request, as Envoy does by APPEND_FORWARD.
import { once } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { createAuthority, createCsr } from "@fairlead/protocol/x509";

export interface TestMesh extends AsyncDisposable {
  /** Starts the sidecar of a workload; agents there reach the hub at this address. */
  startSidecar(workload: { readonly cluster: string; readonly role: "proxy" | "observe" }): Promise<string>;
  /** Breaks all connections. */
  cut(): void;
}

/** For hubs, of the identities that these meshes give out. */
export const meshPattern = "spiffe://mesh\\.test/cluster/(?<cluster>[a-z0-9-]+)/role/(?<role>[a-z]+)";

export async function startMesh(options: { readonly hubPort: number; readonly hubCaPem: string }): Promise<TestMesh> {
  const authority = await createAuthority({ commonName: "mesh CA", days: 1 });
  const ca = authority.caPem;
  const ttlMs = 3_600_000;
  const sockets = new Set<Socket>();
  const owned = new AsyncDisposableStack();
  const { certPem: cert, keyPem: key } = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs });
  const gate = createHttpsServer({ cert, key, ca, requestCert: true, rejectUnauthorized: true });
  gate.on("upgrade", (req, near, head) => {
    const uri = (near as TLSSocket).getPeerX509Certificate()?.subjectAltName?.replace(/^URI:/, "") ?? "";
    const far = connect({ host: "127.0.0.1", port: options.hubPort, ca: options.hubCaPem });
    const lines = [`${req.method} ${req.url} HTTP/1.1`];
    for (let index = 0; index < req.rawHeaders.length; index += 2) {
      const [name = "", value = ""] = req.rawHeaders.slice(index, index + 2);
      if (name.toLowerCase() !== header) lines.push(`${name}: ${value}`);
    }
    const before = req.headers[header];
    const own = `By=spiffe://mesh.test/hub;Hash=00;Subject="";URI=${uri}`;
    lines.push(`${header}: ${before === undefined ? own : `${String(before)},${own}`}`);
    far.write(`${lines.join("\r\n")}\r\n\r\n`);
    far.write(head);
    join(near as Socket, far);
  });
  const gatePort = await listen(gate);
  return {
    async startSidecar({ cluster, role }) {
      const { csrDer, keyPem } = await createCsr({});
      const names = { trustDomain: "mesh.test", cluster, roles: [role] };
      const own = await authority.issueAgentCertificate({ csrDer, ...names, ttlMs });
      const sidecar = createServer((near) => {
        join(near, connect({ host: "127.0.0.1", port: gatePort, ca, cert: own.certPem, key: keyPem }));
      });
      return `http://127.0.0.1:${await listen(sidecar)}`;
    },
    cut,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function listen(server: Server): Promise<number> {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    owned.defer(async () => {
      cut();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    });
    return (server.address() as AddressInfo).port;
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  function join(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => one.destroy());
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  }
}

const header = "x-forwarded-client-cert";
