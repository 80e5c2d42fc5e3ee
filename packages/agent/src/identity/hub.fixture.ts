// A hub's agent listener as far as enrollment goes: TLS from a CA of its own, and an answer to POST /agent/v1/enroll.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecret, formatJoinToken } from "@fairlead/kernel";
import { type Authority, createAuthority } from "@fairlead/protocol/x509";

export interface EnrollBody {
  readonly token: string;
  readonly csrDer: string;
  readonly roles: string[];
  readonly agentVersion: string;
}

export interface FakeHub extends AsyncDisposable {
  readonly url: URL;
  readonly authority: Authority;
  readonly bodies: EnrollBody[];
  readonly connections: () => number;
  /** Replaces the answer to an enrollment. */
  answer: (body: EnrollBody) => Promise<{ status: number; body: unknown }>;
  token(id?: string): string;
}

export async function startFakeHub(
  options: { names?: string[]; ttlMs?: number; maxVersion?: "TLSv1.2"; behind?: Authority } = {},
): Promise<FakeHub> {
  const { names = ["127.0.0.1"], ttlMs = 3_600_000, maxVersion } = options;
  const authority = await createAuthority({ commonName: "test hub", days: 1 });
  // As behind a balancer that ends TLS: the certificate that is shown isn't the hub's.
  const { certPem, keyPem } = await (options.behind ?? authority).issueServerCertificate({ names, ttlMs });
  const bodies: EnrollBody[] = [];
  let connections = 0;
  const server = createServer(
    { cert: certPem, key: keyPem, ...(maxVersion && { maxVersion }) },
    (request, response) => {
      void readText(request).then(async (text) => {
        const body = JSON.parse(text);
        bodies.push(body);
        const answer = await hub.answer(body);
        response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
      });
    },
  );
  server.on("connection", () => {
    connections++;
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hub: FakeHub = {
    url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    authority,
    bodies,
    connections: () => connections,
    answer: async (body) => ({ status: 200, body: await issue(authority, body) }),
    token: (id = "token123") => formatJoinToken({ id, secret: createSecret(), caFingerprint: authority.fingerprint }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hub;
}

export async function issue(authority: Authority, body: EnrollBody, ttlMs = 600_000): Promise<object> {
  const { certPem } = await authority.issueAgentCertificate({
    csrDer: Buffer.from(body.csrDer, "base64"),
    trustDomain: "test",
    cluster: "east",
    roles: ["proxy"],
    ttlMs,
  });
  return {
    cluster: "east",
    roles: ["proxy"],
    certificateChainPem: certPem,
    caPem: authority.caPem,
    trustDomain: "test",
  };
}

export const refusal = (status: number, code: string): { status: number; body: object } => ({
  status,
  body: { type: "x", title: code, status, code, detail: "The hub says no.", hint: "Ask again." },
});

async function readText(request: IncomingMessage): Promise<string> {
  return (await request.setEncoding("utf8").toArray()).join("");
}
