// The kinds of values that settings take, and the complaint about one that isn't.
import { isIP } from "node:net";
import { isDnsLabel, isSystemName } from "@fairlead/kernel";
import { type Role, roles } from "@fairlead/protocol";
import { z } from "zod";
import { hasNestedQuantifiers } from "./nested-quantifiers.ts";

export function nonEmpty(): z.ZodString {
  return z.string().min(1, "it is empty");
}

/** Checks the scheme alone; the rest is checked when it is used. The message repeats nothing of it: it may hold a password. */
export function databaseUrl(): z.ZodType<string> {
  return nonEmpty().regex(/^postgres(?:ql)?:\/\//, "it doesn't begin with postgres://");
}

/** Without credentials: those come from files. */
export function redisUrl(): z.ZodType<string> {
  const isRedis = (value: string): boolean => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname, username, password, pathname, search, hash } = new URL(value);
    const rest = username + password + pathname.replace(/^\/$/, "") + search + hash;
    return ["redis:", "rediss:"].includes(protocol) && hostname !== "" && rest === "";
  };
  return z.string().refine(isRedis, "it isn't redis://HOST:PORT or rediss://HOST:PORT");
}

export function toggle(): z.ZodType {
  return z.union(
    [z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")],
    "it isn't true or false",
  );
}

export function whole(from: number, to: number): z.ZodType {
  const problem = `it isn't a whole number from ${from} to ${to}`;
  return z.coerce.number(problem).int(problem).min(from, problem).max(to, problem);
}

/** A length of time as text, such as `30d` or `12h`; `spanMs` reads it. */
export function span(fromMs: number, toMs: number): z.ZodType<string> {
  const isWithin = (text: string): boolean => spanMs(text) >= fromMs && spanMs(text) <= toMs;
  return z
    .string()
    .regex(/^\d{1,9}[dhms]$/, "it isn't a length of time, such as 30d, 12h or 90m")
    .refine(isWithin, `it isn't from ${fromMs / 60_000}m to ${toMs / 86_400_000}d`);
}

export function spanMs(text: string): number {
  return Number(text.slice(0, -1)) * (unitsMs[text.at(-1) ?? ""] ?? Number.NaN);
}

const unitsMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

export function positive(): z.ZodType {
  return whole(1, 1_000_000);
}

/** Less than that would take minutes for a page of pods. */
export function rate(): z.ZodType {
  const problem = "it is neither 0 nor a whole number from 16384 on";
  return z.coerce
    .number(problem)
    .refine((value) => value === 0 || (Number.isSafeInteger(value) && value >= 16_384), problem);
}

export function address(): z.ZodType {
  const isAddress = (value: string): boolean => {
    const match = /^(?:\[[0-9a-fA-F:.]+\]|[^:\s]*):(\d{1,5})$/.exec(value);
    return match !== null && Number(match[1]) <= 65_535;
  };
  return z.string().refine(isAddress, "it isn't HOST:PORT, such as 127.0.0.1:8443 or [::]:8443");
}

/** Where something else listens. */
export function target(): z.ZodType<string> {
  const isTarget = (value: string): boolean => {
    const match = /^(?:\[[0-9a-fA-F:.]+\]|[^:\s[\]]+):(\d{1,5})$/.exec(value);
    return match !== null && Number(match[1]) > 0 && Number(match[1]) <= 65_535;
  };
  return z.string().refine(isTarget, "it isn't HOST:PORT, such as argocd-redis.argocd:6379");
}

/** Names of clusters, or `*`. */
export function clusterList(): z.ZodType<string[]> {
  const list = z.array(
    z.string().refine((name) => name === "*" || isDnsLabel(name), "it isn't a list of clusters' names"),
  );
  return z.preprocess(splitWords, list);
}

/** What Argo CD's roles may allow of an application. */
export function argoActions(): z.ZodType<ArgoAction[]> {
  const problem = "it isn't a list of get, sync, action/*, logs and exec";
  return z.preprocess(splitWords, z.array(z.enum(argoActionNames, problem), problem));
}

export type ArgoAction = (typeof argoActionNames)[number];
const argoActionNames = ["get", "sync", "action/*", "logs", "exec"] as const;

/** Separated by commas or blanks, or a list in the file, with at most 100 words. It may be empty. */
export function list(): z.ZodType<string[]> {
  const problem = "it isn't a list of at most 100 words";
  return z.preprocess(splitWords, z.array(z.string(problem).min(1, "it is empty"), problem).max(100, problem));
}

function splitWords(value: unknown): unknown {
  return typeof value === "string" ? value.split(/[,\s]+/).filter((word) => word !== "") : value;
}

export function url(): z.ZodType<string> {
  return origin(["https:"]);
}

/** In a mesh agents may come without TLS of their own; whether this is one is checked with the other settings. */
export function agentUrl(): z.ZodType<string> {
  return origin(["https:", "http:"]);
}

function origin(protocols: readonly string[]): z.ZodType<string> {
  const isOrigin = (value: string): boolean => {
    if (!URL.canParse(value)) return false;
    const { protocol, pathname, search, hash, username } = new URL(value);
    return protocols.includes(protocol) && pathname === "/" && search + hash + username === "";
  };
  const problem = "it isn't https://HOST or https://HOST:PORT";
  return z
    .string()
    .refine(isOrigin, problem)
    .transform((value) => new URL(value).origin);
}

export function issuer(): z.ZodType<string> {
  const isIssuer = (value: string): boolean => {
    if (!URL.canParse(value)) return false;
    const { protocol, search, hash, username } = new URL(value);
    return protocol === "https:" && search + hash + username === "";
  };
  return z.string().refine(isIssuer, "it isn't an https:// URL without query");
}

/** Separated by commas or blanks, or a list in the file. */
export function words(): z.ZodType {
  const list = z.array(z.string().min(1, "it is empty")).min(1, "it is empty");
  const split = (value: string): string[] => value.split(/[,\s]+/).filter((word) => word !== "");
  return z.preprocess((value) => (typeof value === "string" ? split(value) : value), list);
}

/** Not one that would make someone's group a cluster's own or Fairlead's. */
export function groupPrefix(): z.ZodType<string> {
  return nonEmpty().refine(
    (value) => !isSystemName(value) && !/^fairlead:/i.test(value),
    "it begins with system: or fairlead:",
  );
}

/** Not one that would make someone one of the cluster's own or a robot. */
export function usernamePrefix(): z.ZodType<string> {
  return nonEmpty().refine(
    (value) => !isSystemName(value) && !/^(?:fairlead|robot):/i.test(value),
    "it begins with system:, fairlead: or robot:",
  );
}

export function level(): z.ZodType {
  return z.enum(["trace", "debug", "info", "warn", "error", "silent"], "it isn't a level");
}

export function trust(): z.ZodType {
  return z.enum(["mtls", "challenge"], "it is neither mtls nor challenge");
}

export function addresses(): z.ZodType {
  const isRange = (value: string): boolean => {
    const [address = "", bits, ...rest] = value.split("/");
    const version = isIP(address);
    if (version === 0 || rest.length > 0) return false;
    return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
  };
  const list = z.array(z.string().refine(isRange, "it isn't a list of addresses and CIDR ranges"));
  return z.preprocess(
    (value) => (typeof value === "string" ? value.split(",").map((item) => item.trim()) : value),
    list,
  );
}

/** None that an agent's request has anyway: a mesh that forgot to set it would pass the agent's own on. */
export function headerName(): z.ZodType<string> {
  const isOwn = (name: string): boolean =>
    /^(?:host|connection|upgrade|user-agent|x-forwarded-for|sec-websocket-.*|fairlead-.*)$/.test(name);
  return z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9][a-z0-9-]*$/, "it isn't the name of a header")
    .refine((name) => !isOwn(name), "agents or proxies send that header anyway");
}

/** The group is what makes the identity a cluster's. */
export function identityPattern(): z.ZodType<string> {
  return nonEmpty()
    .max(1_024, "it is longer than 1024 characters")
    .refine((source) => groupsOf(source) !== undefined, "it isn't a regular expression")
    .refine((source) => groupsOf(source)?.includes("cluster") ?? true, "it has no group (?<cluster>…)")
    .refine(
      (source) => (groupsOf(source) ?? []).every((name) => ["cluster", "role"].includes(name)),
      "it has a named group that is neither cluster nor role",
    )
    .refine((source) => !hasNestedQuantifiers(source), "it repeats without end what repeats without end, as in (a+)+");
}

/** The names of its groups; undefined for what isn't an expression. */
export function groupsOf(source: string): readonly string[] | undefined {
  try {
    new RegExp(source, "u"); // by itself, so that no unbalanced bracket gets behind the next one's
    return Object.keys(new RegExp(`(?:${source})|`, "u").exec("")?.groups ?? {});
  } catch {
    return undefined;
  }
}

export function roleList(): z.ZodType<Role[]> {
  const list = z.array(z.enum(roles)).min(1, "it is empty");
  const split = (value: string): string[] => value.split(/[,\s]+/).filter((word) => word !== "");
  const problem = `it isn't a list of roles: ${roles.join(", ")}`;
  return z
    .preprocess((value) => (typeof value === "string" ? split(value) : value), z.array(z.unknown()))
    .refine((value) => list.safeParse(value).success, problem)
    .transform((value) => [...new Set(list.parse(value))]);
}

/** A namespace of Kubernetes. */
export function label(): z.ZodType<string> {
  return z.string().refine(isDnsLabel, "it isn't lowercase letters, digits and -, beginning and ending without -");
}

/** Words of a subject of NATS, without its wildcards. */
export function subject(): z.ZodType<string> {
  return z.string().regex(/^[\w-]+(?:\.[\w-]+)*$/, "it isn't words of letters, digits, - and _ with dots between them");
}

export function minute(): number {
  return 60_000;
}

export function day(): number {
  return 24 * 60 * minute();
}

export function mib(): number {
  return 1024 * 1024;
}
