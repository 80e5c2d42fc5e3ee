import type { IncomingMessage } from "node:http";

/**
 * Browsers can't set headers of a WebSocket: there the token comes as a subprotocol, the way that Kubernetes has it,
 * base64url without padding.
 */
export function readCredentials(req: IncomingMessage): {
  readonly protocols: readonly string[];
  readonly authorization: string | undefined;
} {
  const offered = (req.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const carrier = offered.find((name) => name.startsWith(tokenPrefix));
  const token = carrier && Buffer.from(carrier.slice(tokenPrefix.length), "base64url").toString("utf8");
  return {
    protocols: offered.filter((name) => name !== carrier),
    authorization: req.headers.authorization ?? (token === undefined ? undefined : `Bearer ${token}`),
  };
}

const tokenPrefix = "base64url.bearer.fairlead.";
