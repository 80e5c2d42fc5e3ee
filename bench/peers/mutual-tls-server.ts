// Takes connections by TLS 1.3 from whoever has a certificate of the authority, says one byte, and keeps them.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";

const { certPem, keyPem, clientCaPem } = JSON.parse(readFileSync(0, "utf8")) as {
  certPem: string;
  keyPem: string;
  clientCaPem: string;
};
const server = createServer({
  cert: certPem,
  key: keyPem,
  ca: clientCaPem,
  minVersion: "TLSv1.3",
  requestCert: true,
  rejectUnauthorized: true,
});
server.on("secureConnection", (socket) => {
  socket.on("error", () => socket.destroy());
  socket.write("!");
});
server.listen({ host: "127.0.0.1", port: 0, backlog: 4096 });
await once(server, "listening");
console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
