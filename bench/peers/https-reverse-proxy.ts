// The peer to be measured against: what a team would write by hand, a `node:https` server that passes every request
// to the API server over kept-alive connections and pipes both bodies. It swaps the credentials and does no more.
// Prints its port as JSON when it listens; ends when its standard input closes.
import { readFileSync } from "node:fs";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";

const settings = JSON.parse(readFileSync(0, "utf8")) as {
  certPem: string;
  keyPem: string;
  upstream: string;
  upstreamCa: string;
  upstreamAuthorization: string;
};
const upstream = new URL(settings.upstream);
const agent = new Agent({ keepAlive: true, maxSockets: 256, ca: settings.upstreamCa });

const server = createServer({ cert: settings.certPem, key: settings.keyPem }, (incoming, outgoing) => {
  const headers = { ...incoming.headers, host: upstream.host, authorization: settings.upstreamAuthorization };
  const forwarded = request(
    {
      agent,
      host: upstream.hostname,
      port: upstream.port,
      method: incoming.method,
      path: incoming.url,
      headers,
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
});
server.requestTimeout = 0;
server.keepAliveTimeout = 95_000;
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, pid: process.pid }));
});
