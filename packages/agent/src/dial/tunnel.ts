// A connection through an HTTP proxy: CONNECT over HTTP/1.1, with Basic authentication when the proxy's URL has
// credentials, and over TLS when it is an https:// proxy.
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, rootCertificates } from "node:tls";
import { proxyFailed } from "./errors.ts";

export function openTunnel(options: {
  proxy: URL;
  host: string;
  port: number;
  /** Certificates to trust in addition to the usual authorities, such as an https:// proxy's. */
  extraCa: readonly string[];
  signal: AbortSignal;
}): Promise<Socket> {
  const { proxy, host, port, extraCa, signal } = options;
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const socket = connectProxy(proxy, extraCa);
    const abort = (): void => void socket.destroy();
    signal.addEventListener("abort", abort, { once: true });
    let text = "";
    const fail = (cause: unknown): void => {
      signal.removeEventListener("abort", abort);
      socket.destroy();
      reject(proxyFailed(proxy, explain(cause), cause));
    };
    const read = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0 && text.length < 16_384) return;
      signal.removeEventListener("abort", abort);
      socket.off("data", read).off("error", fail).off("close", fail);
      socket.pause();
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
      if (end >= 0 && status?.startsWith("2")) {
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

function connectProxy(proxy: URL, extraCa: readonly string[]): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const isTls = proxy.protocol === "https:";
  const port = Number(proxy.port || (isTls ? 443 : 80));
  if (!isTls) return connectTcp({ host, port });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...servername, ca: [...rootCertificates, ...extraCa], ALPNProtocols: ["http/1.1"] });
}

function authorizationLine(proxy: URL): string {
  if (!proxy.username && !proxy.password) return "";
  const credentials = `${decode(proxy.username)}:${decode(proxy.password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(credentials).toString("base64")}\r\n`;
}

/** A stray percent sign in a password stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function explain(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (!/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return "it can't be reached";
  return `its own certificate isn't trusted (${code}); --ca-file can name its CA`;
}
