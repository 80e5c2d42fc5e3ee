// The name that a NATS server must prove, and the credentials of the hub. Files are read for each connection, as they
// change.
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
import { checkServerIdentity } from "node:tls";
import type { FairleadError } from "@fairlead/kernel";
import type { Authenticator, ConnectionOptions } from "@nats-io/transport-node";
import { busErrors } from "./errors.ts";

export interface NatsFiles {
  /** Instead of the usual authorities. */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** A .creds file of NATS, or one line USER:PASSWORD. */
  readonly credentialsFile?: string | undefined;
}

export interface NatsServer {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** For messages. */
  readonly where: string;
}

/** Throws BUS_SETTING_INVALID, without a word of the URL: it may hold a password. */
export function parseNatsUrl(text: string): NatsServer {
  if (!/^(?:nats|tls):\/\//.test(text)) throw urlInvalid("it doesn't begin with tls:// or nats://");
  if (!URL.canParse(text)) throw urlInvalid("it can't be read");
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (username + password !== "")
    throw urlInvalid("it has a user or a password, which belong into the credentials file");
  if (hostname === "" || !["", "/"].includes(pathname) || search + hash !== "")
    throw urlInvalid("it isn't tls://HOST:PORT or nats://HOST:PORT");
  const where = `${hostname}:${port || defaultPort}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || defaultPort),
    isSecure: protocol === "tls:",
    where,
  };
}

/** The connection is by TLS where the URL or any of its files says so. Throws BUS_SETTING_INVALID for files that can't be used. */
export async function readNatsOptions(server: NatsServer, files: NatsFiles): Promise<ConnectionOptions> {
  const { host, where } = server;
  const { caFile, certFile, keyFile, credentialsFile } = files;
  const isSecure = server.isSecure || (caFile ?? certFile) !== undefined;
  const servers = [where];
  const authenticator = credentialsFile === undefined ? {} : { authenticator: await readCredentials(credentialsFile) };
  if (!isSecure) return { servers, ...authenticator };
  const tls = {
    ...(caFile === undefined ? {} : { ca: await readText(caFile) }),
    ...(certFile === undefined ? {} : { cert: await readText(certFile) }),
    ...(keyFile === undefined ? {} : { key: await readText(keyFile) }),
    // The client knows no name where it is given an address, and Node would take any certificate for localhost then.
    ...(isIP(host) === 0 ? {} : { checkServerIdentity: check(host) }),
  };
  return { servers, tls, ...authenticator };
}

function check(host: string): typeof checkServerIdentity {
  return (_, certificate) => checkServerIdentity(host, certificate);
}

async function readCredentials(path: string): Promise<Authenticator> {
  const text = await readText(path);
  const { mode } = await stat(path);
  if ((mode & 0o027) !== 0) {
    const reason = `its mode ${(mode & 0o777).toString(8)} lets others read or its group write it`;
    throw fileInvalid(path, reason);
  }
  const { credsAuthenticator, usernamePasswordAuthenticator } = await import("@nats-io/transport-node");
  if (text.includes("-----BEGIN NATS USER JWT-----")) {
    if (!text.includes("NKEY SEED-----")) throw fileInvalid(path, "it has a JWT and no NKEY seed");
    return credsAuthenticator(new TextEncoder().encode(text));
  }
  const [, user, password] = /^([^:\n]+):([^\n]+)\n?$/.exec(text) ?? [];
  if (user === undefined || password === undefined)
    throw fileInvalid(path, "it is neither a .creds file of NATS nor one line USER:PASSWORD");
  return usernamePasswordAuthenticator(user, password);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw fileInvalid(path, `it can't be read (${(cause as NodeJS.ErrnoException).code})`);
  }
}

function urlInvalid(problem: string): FairleadError {
  return busErrors.BUS_SETTING_INVALID({
    detail: `The address of NATS is invalid: ${problem}.`,
    advice:
      "It is tls://HOST:PORT, or nats://HOST:PORT without TLS. User and password go into --bus-nats-credentials-file.",
  });
}

function fileInvalid(path: string, reason: string): FairleadError {
  return busErrors.BUS_SETTING_INVALID({
    detail: `The file ${path} for the bus between hubs is unusable: ${reason}.`,
    advice: "Check that it exists, that only the hub's user can read it, and that its content fits its setting.",
  });
}

const defaultPort = 4222;
