// The kinds of values that only settings of the hub take.
import { isIP } from "node:net";
import { isDnsLabel, isSystemName } from "@fairlead/kernel";
import { address, type Kind, kindOf, list, type Secret, text } from "@fairlead/kernel/settings";
import { hasPassword, withoutPassword } from "./password.ts";

/** Checks the scheme alone; the rest is checked when it is used. */
export function databaseUrl(): Kind<string> {
  return text({
    placeholder: "URL",
    expected: "a URL that begins with postgres://, for example postgres://hub@db.example.com/fairlead",
    isText: (value) => /^postgres(?:ql)?:\/\//.test(value),
  });
}

export const databaseUrlSecret: Secret = { holdsSecret: hasPassword, hide: withoutPassword };

/** Without credentials: those come from files. */
export function redisUrl(): Kind<string> {
  const isRedis = (value: string): boolean => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname, username, password, pathname, search, hash } = new URL(value);
    const rest = username + password + pathname.replace(/^\/$/, "") + search + hash;
    return ["redis:", "rediss:"].includes(protocol) && hostname !== "" && rest === "";
  };
  return text({ placeholder: "URL", expected: "redis://HOST:PORT or rediss://HOST:PORT", isText: isRedis });
}

/** Where something else listens. */
export function target(): Kind<string> {
  return address({ toListen: false, example: "argocd-redis.argocd:6379" });
}

/** Names of clusters, or `*`. */
export function clusterList(): Kind<readonly string[]> {
  return list({
    expected: "a list of clusters' names, or *",
    isWord: (name) => name === "*" || isDnsLabel(name),
    mayBeEmpty: true,
  });
}

/** What Argo CD's roles may allow of an application. */
export type ArgoAction = (typeof argoActionNames)[number];
export const argoActionNames = ["get", "sync", "action/*", "logs", "exec"] as const;

export function url(): Kind<string> {
  return origin(["https:"], "https://HOST or https://HOST:PORT");
}

/** In a mesh agents may come without TLS of their own; whether this is one is checked with the other settings. */
export function agentUrl(): Kind<string> {
  return origin(["https:", "http:"], "https://HOST or https://HOST:PORT, or http:// in a mesh");
}

/** In lower case, without a port. */
export function domain(): Kind<string> {
  return text({
    placeholder: "DOMAIN",
    expected: "a domain in lower case, for example k8s.hub.example.com",
    isText: (value) => value.length <= longestDomain && value.includes(".") && value.split(".").every(isDnsLabel),
  });
}

function origin(protocols: readonly string[], expected: string): Kind<string> {
  return kindOf({
    placeholder: "URL",
    expected,
    read: (given) => {
      if (typeof given !== "string" || !URL.canParse(given)) return undefined;
      const { protocol, pathname, search, hash, username, origin } = new URL(given);
      return protocols.includes(protocol) && pathname === "/" && search + hash + username === "" ? origin : undefined;
    },
  });
}

export function issuer(): Kind<string> {
  const isIssuer = (value: string): boolean => {
    if (!URL.canParse(value)) return false;
    const { protocol, search, hash, username } = new URL(value);
    return protocol === "https:" && search + hash + username === "";
  };
  return text({ placeholder: "URL", expected: "an https:// URL without a query", isText: isIssuer });
}

/** Not one that would make someone's group a cluster's own or Fairlead's. */
export function groupPrefix(): Kind<string> {
  return text({
    placeholder: "PREFIX",
    expected: "a prefix that doesn't begin with system: or fairlead:, for example oidc:",
    isText: (value) => !isSystemName(value) && !/^fairlead:/i.test(value),
  });
}

/** Not one that would make someone one of the cluster's own or a robot. */
export function usernamePrefix(): Kind<string> {
  return text({
    placeholder: "PREFIX",
    expected: "a prefix that doesn't begin with system:, fairlead: or robot:, for example oidc:",
    isText: (value) => !isSystemName(value) && !/^(?:fairlead|robot):/i.test(value),
  });
}

export function addresses(): Kind<readonly string[]> {
  const isRange = (value: string): boolean => {
    const [address = "", bits, ...rest] = value.split("/");
    const version = isIP(address);
    if (version === 0 || rest.length > 0) return false;
    return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
  };
  return list({
    expected: "a list of addresses and CIDR ranges, for example 10.0.0.0/8,192.0.2.1",
    isWord: isRange,
    mayBeEmpty: true,
  });
}

/** None that an agent's request has anyway: a mesh that forgot to set it would pass the agent's own on. */
export function headerName(): Kind<string> {
  const isOwn = (name: string): boolean =>
    /^(?:host|connection|upgrade|user-agent|x-forwarded-for|sec-websocket-.*|fairlead-.*)$/.test(name);
  return kindOf({
    placeholder: "NAME",
    expected: "the name of a header that agents and proxies don't send anyway, for example x-forwarded-client-cert",
    read: (given) => {
      const name = typeof given === "string" ? given.toLowerCase() : "";
      return /^[a-z0-9][a-z0-9-]*$/.test(name) && !isOwn(name) ? name : undefined;
    },
  });
}

/** A namespace of Kubernetes. */
export function label(): Kind<string> {
  return text({
    placeholder: "NAME",
    expected: "lowercase letters, digits and -, not at the beginning or end, for example argocd",
    isText: isDnsLabel,
  });
}

/** Words of a subject of NATS, without its wildcards. */
export function subject(): Kind<string> {
  return text({
    placeholder: "NAME",
    expected: "words of letters, digits, - and _ with dots between them, for example fairlead.platform",
    isText: (value) => /^[\w-]+(?:\.[\w-]+)*$/.test(value),
  });
}

/** So that a cluster's name of 63 characters fits before it. */
const longestDomain = 189;
