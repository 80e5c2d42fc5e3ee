// A connection through an HTTP proxy: CONNECT over HTTP/1.1, with Basic authentication when the proxy's URL has
// credentials, and over TLS when it is an https:// proxy.
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { FairleadError } from "@fairlead/kernel";

export function openTunnel(options: { proxy: URL; host: string; port: number; signal: AbortSignal }): Promise<Socket> {
  const { proxy, host, port, signal } = options;
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const socket = connectProxy(proxy);
    const abort = (): void => void socket.destroy();
    signal.addEventListener("abort", abort, { once: true });
    let text = "";
    const fail = (cause: unknown): void => {
      signal.removeEventListener("abort", abort);
      socket.destroy();
      reject(proxyFailed(proxy, "it can't be reached", cause));
    };
    const read = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0 && text.length < 16_384) return;
      signal.removeEventListener("abort", abort);
      socket.off("data", read).off("error", fail).off("close", fail);
      socket.pause();
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
      if (end >= 0 && status === "200") {
        socket.unshift(Buffer.from(text.slice(end + 4), "latin1"));
        resolve(socket);
        return;
      }
      socket.on("error", () => undefined).destroy();
      reject(proxyFailed(proxy, status ? `it answered with status ${status}` : "it doesn't speak HTTP"));
    };
    socket.on("data", read).on("error", fail).on("close", fail);
    socket.once(proxy.protocol === "https:" ? "secureConnect" : "connect", () => {
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorizationLine(proxy)}\r\n`);
    });
  });
}

function connectProxy(proxy: URL): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const isTls = proxy.protocol === "https:";
  const port = Number(proxy.port || (isTls ? 443 : 80));
  return isTls ? connectTls({ host, port, ALPNProtocols: ["http/1.1"] }) : connectTcp({ host, port });
}

function authorizationLine(proxy: URL): string {
  if (!proxy.username) return "";
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(credentials).toString("base64")}\r\n`;
}

function proxyFailed(proxy: URL, detail: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "LINK_PROXY_FAILED",
    message: `The HTTP proxy ${proxy.host} doesn't let the agent through: ${detail}.`,
    hint: "Check HTTPS_PROXY, its credentials, and that it allows CONNECT to the hub; NO_PROXY names exceptions.",
    retryable: true,
    cause,
  });
}
