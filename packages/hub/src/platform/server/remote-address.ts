// From where a request comes: the connection's other end, unless that is a balancer we were told to believe. Then it is
// the last address in X-Forwarded-For that isn't such a balancer: all before it is the client's own say.
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

export interface TrustedProxies {
  has(address: string): boolean;
}

/** Addresses and CIDR ranges. */
export function createTrustedProxies(rules: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const rule of rules) {
    const [address = "", bits] = rule.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return {
    has(address) {
      const bare = unmap(address);
      const version = isIP(bare);
      return rules.length > 0 && version !== 0 && list.check(bare, version === 6 ? "ipv6" : "ipv4");
    },
  };
}

/** Notes for `readRemoteAddress` whom the request's sender speaks for, if it may. */
export function noteForwarded(req: IncomingMessage, trusted: TrustedProxies): void {
  const header = req.headers["x-forwarded-for"];
  const peer = req.socket.remoteAddress;
  if (header === undefined || peer === undefined || !trusted.has(peer)) return;
  const chain = String(header).split(",").map(readAddress);
  let origin = unmap(peer);
  for (const address of chain.reverse()) {
    // Behind what can't be read nothing can be believed either.
    if (address === undefined) break;
    origin = address;
    if (!trusted.has(address)) break;
  }
  forwarded.set(req, origin);
}

export function readRemoteAddress(req: IncomingMessage): string {
  return forwarded.get(req) ?? unmap(req.socket.remoteAddress ?? "unknown");
}

const forwarded = new WeakMap<IncomingMessage, string>();

/** Some balancers add the port. */
function readAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return isIP(bare) === 0 ? undefined : unmap(bare);
}

/** An IPv4 address as a socket that takes both kinds shows it. */
function unmap(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}
