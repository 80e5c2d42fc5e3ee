// The hub's own certificate authority. Made at the first start; certificate and key appear together or not at all.
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, isFairleadError, systemClock } from "@fairlead/kernel";
import { type Authority, createAuthority, isTrustDomain, loadAuthority } from "@fairlead/protocol/x509";
import { pkiErrors, pkiExpired, pkiTrustDomainInvalid } from "./errors.ts";
import type { Pki } from "./types.ts";

export async function openPki(options: {
  /** Undefined: an authority that is gone when the process ends. */
  readonly dataDir?: string | undefined;
  readonly trustDomain: string;
  readonly clock?: Clock | undefined;
}): Promise<Pki> {
  const { dataDir, trustDomain, clock = systemClock } = options;
  if (!isTrustDomain(trustDomain)) throw pkiTrustDomainInvalid(trustDomain);
  const authority = dataDir === undefined ? await create(clock) : await loadOrCreate(join(dataDir, "pki"), clock);
  if (authority.notAfter <= clock.now()) throw pkiExpired(authority.notAfter);

  return {
    caPem: authority.caPem,
    caFingerprint: authority.fingerprint,
    trustDomain,
    issueAgent: (request) => authority.issueAgentCertificate({ ...request, trustDomain }),
    issueServer: ({ names, ttlMs = serverTtlMs }) =>
      authority.issueServerCertificate({ names: [...new Set([...loopbackNames, ...names])], ttlMs }),
  };
}

async function loadOrCreate(folder: string, clock: Clock): Promise<Authority> {
  return (await load(folder, clock)) ?? (await createIn(folder, clock));
}

/** Undefined when there is none; anything halfway is an error, because making a new one would strand every agent. */
async function load(folder: string, clock: Clock): Promise<Authority | undefined> {
  const certPem = await readIfThere(join(folder, "ca.pem"), folder);
  const keyPem = await readIfThere(join(folder, "ca.key"), folder);
  if (certPem === undefined && keyPem === undefined) return undefined;
  if (certPem === undefined || keyPem === undefined) throw pkiErrors.PKI_UNREADABLE({ folder, cause: undefined });
  return await loadAuthority({ certPem, keyPem, clock });
}

async function readIfThere(path: string, folder: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw pkiErrors.PKI_UNREADABLE({ folder, cause: error });
  }
}

async function createIn(folder: string, clock: Clock): Promise<Authority> {
  const authority = await create(clock);
  const draft = `${folder}.new`;
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await writeDurably(join(draft, "ca.key"), authority.keyPem);
    await writeDurably(join(draft, "ca.pem"), authority.caPem);
    await rename(draft, folder);
    return authority;
  } catch (error) {
    throw isFairleadError(error) ? error : pkiErrors.PKI_UNWRITABLE({ folder, cause: error });
  }
}

function create(clock: Clock): ReturnType<typeof createAuthority> {
  return createAuthority({ commonName: "Fairlead hub CA", days: 3650, clock });
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

const serverTtlMs = 30 * 24 * 60 * 60_000;
const loopbackNames = ["localhost", "127.0.0.1", "::1"];
