import { connect } from "node:tls";
import type { TestHub } from "@fairlead/testkit";

/**
 * Bytes on a TLS connection of their own to the hub's listener for people, and all that comes back until the hub closes
 * it or falls silent.
 */
export function sendRaw(hub: TestHub, text: string, options: { readonly silentMs?: number } = {}): Promise<string> {
  const { silentMs = 1_500 } = options;
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: hub.port, ca: hub.caPem });
    let received = "";
    const finish = (): void => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(20_000, finish);
    socket.on("secureConnect", () => socket.write(text, "latin1"));
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      received += String(chunk);
      socket.setTimeout(silentMs);
    });
    socket.on("error", finish);
    socket.on("close", finish);
  });
}

/** The status of each answer, in order. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
}
