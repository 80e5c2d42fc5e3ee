// Upgrades at the wire: a client of the proxy, and an upstream that sends back what it gets.
import { connect, type Socket } from "node:net";

export function echo(socket: Socket, head: Buffer): void {
  socket.allowHalfOpen = true;
  if (head.length > 0) socket.write(head);
  socket.on("data", (chunk) => socket.write(chunk));
  socket.on("end", () => socket.end());
  socket.on("error", () => undefined);
}

export function upgradeText(token: string, lines: readonly string[] = [], path: string = execPath): string {
  const own = lines.map((line) => `${line}\r\n`).join("");
  return (
    `GET /k8s/clusters/east${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n` +
    `Connection: Upgrade\r\nUpgrade: ${token}\r\n${own}`
  );
}

export function openUpgrade(
  port: number,
  token: string,
  lines: readonly string[] = [],
  path: string = execPath,
): Socket & { text: string } {
  const socket = Object.assign(connect({ port, host: "127.0.0.1", allowHalfOpen: true }), { text: "" });
  socket.setEncoding("latin1");
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    socket.text += String(chunk);
  });
  socket.write(`${upgradeText(token, lines, path)}\r\n`);
  return socket;
}

const execPath = "/api/v1/namespaces/a/pods/b/exec";
