import { BlockList, isIP } from "node:net";
import type { Environment } from "@fairlead/kube";
import { dialErrors } from "./errors.ts";

/**
 * Chooses the HTTP proxy to reach a host through: the one that was named for it, or the one that the usual variables
 * name: HTTPS_PROXY, NO_PROXY (names, .suffixes, addresses, CIDR ranges, each with an optional port, or *), in either
 * case. Those two never send loopback through a proxy.
 */
export function chooseProxy(options: {
  hub: URL;
  /** Counts whatever the environment says; "none" means no proxy. */
  proxy?: string | undefined;
  env: Environment;
}): URL | undefined {
  const { hub, proxy, env } = options;
  if (proxy === "none") return undefined;
  if (proxy !== undefined) return readProxy(proxy, "--proxy");
  // In a mesh, without TLS: past it nobody would know the agent.
  if (hub.protocol === "http:") return undefined;
  const text = env["HTTPS_PROXY"] || env["https_proxy"];
  if (!text) return undefined;
  const host = hub.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = hub.port || "443";
  if (host === "localhost" || host.endsWith(".localhost") || (isIP(host) !== 0 && isLoopback(host))) return undefined;
  const exceptions = (env["NO_PROXY"] || env["no_proxy"] || "").toLowerCase().split(/[\s,]+/);
  if (exceptions.some((rule) => rule !== "" && matches(rule, host, port))) return undefined;
  return readProxy(text, "HTTPS_PROXY");
}

/** Going past a proxy that was meant would be a surprise, so what can't be read is an error. */
function readProxy(text: string, source: string): URL {
  const url = text.includes("://") ? text : `http://${text}`;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.hostname === "")
    throw dialErrors.CONFIG_PROXY_INVALID({ source });
  return parsed;
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === "*") return true;
  const [, name = rule, rulePort] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const bare = name.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return bare.includes("/") ? isWithin(host, bare) : bare === host;
  const suffix = bare.replace(/^\*?\./, "");
  return host.endsWith(`.${suffix}`) || (host === suffix && !/^\*?\./.test(bare));
}

function isWithin(address: string, range: string): boolean {
  const [network = "", bits = ""] = range.split("/");
  const family = isIP(network) === 6 ? "ipv6" : "ipv4";
  if (isIP(network) === 0 || isIP(network) !== isIP(address) || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === "ipv6" ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

function isLoopback(address: string): boolean {
  return address === "::1" || isWithin(address, "127.0.0.0/8");
}
