// The hub's own certificate authority. Made at the first start; another one may follow it while both are trusted.
import { randomBytes, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { type Clock, createTurns, systemClock } from "@fairlead/kernel";
import {
  type Authority,
  certificateTime,
  createAuthority,
  describeCertificate,
  hubUri,
  isTrustDomain,
  readHubIdentity,
} from "@fairlead/protocol/x509";
import type { Kysely } from "kysely";
import type { Tables } from "../store/index.ts";
import { pkiErrors, pkiExpired, pkiTrustDomainInvalid } from "./errors.ts";
import { createGivenStore, type GivenFiles } from "./given.ts";
import { type KeySealFiles, readKeySeal } from "./key-seal.ts";
import { openKept } from "./open-kept.ts";
import { nextRollover, type RolloverEvent, shownOf, signerOf, trustedOf } from "./rollover-state.ts";
import type { Pki, SharedDatabase } from "./types.ts";

export async function openPki(options: {
  /** Undefined: an authority that is gone when the process ends. */
  readonly dataDir?: string | undefined;
  readonly trustDomain: string;
  readonly clock?: Clock | undefined;
  readonly keySeal?: KeySealFiles | undefined;
  /** Where several hubs have one authority; what the data folder holds goes there. */
  readonly shared?: SharedDatabase | undefined;
  /** The database of a hub that has it alone. */
  readonly ownDatabase?: Kysely<Tables> | undefined;
  /** Instead of one that is made and kept. */
  readonly given?: GivenFiles | undefined;
}): Promise<Pki> {
  const { dataDir, trustDomain, clock = systemClock, keySeal = {}, shared } = options;
  if (!isTrustDomain(trustDomain)) throw pkiTrustDomainInvalid(trustDomain);
  const seal = await readKeySeal(keySeal);
  const path = dataDir === undefined ? undefined : join(dataDir, "pki");
  const make = () => createAuthority({ commonName: firstName, days: lifeDays, clock });
  const { store, ...kept } = await openKept({
    path,
    shared,
    ownDatabase: options.ownDatabase,
    seal,
    clock,
    make,
    given: options.given && createGivenStore(options.given, clock),
  });
  let { rollover } = kept;
  const { notAfter } = signerOf(rollover);
  if (notAfter <= clock.now()) throw pkiExpired(notAfter);
  const listeners = new Set<() => Promise<void>>();
  /** Changes happen one at a time. A state that was read before a change is never applied after it. */
  const inTurn = createTurns();
  let waiting: Promise<void> | undefined;
  const following = store.follow?.(refresh);

  return {
    get caPem() {
      return trusted()
        .map(({ caPem }) => caPem)
        .join("");
    },
    get caFingerprint() {
      return shown().fingerprint;
    },
    get caFingerprints() {
      return trusted().map(({ fingerprint }) => fingerprint);
    },
    trustDomain,
    get rollover() {
      return rollover;
    },
    issuerOf,
    hubOf(certificate) {
      const id = readHubIdentity(certificate);
      const isTrusted = issuerOf(certificate) !== undefined;
      if (id === undefined || !isTrusted || !isInTime(certificate, clock.now())) return undefined;
      return certificate.subjectAltName?.startsWith(`URI:${hubUri({ trustDomain, id })},`) ? id : undefined;
    },
    async issueAgent(request) {
      const signer = signerOf(rollover);
      return { ...(await signer.issueAgentCertificate({ ...request, trustDomain })), issuer: signer.fingerprint };
    },
    issueServer: ({ names, ttlMs = serverTtlMs }) =>
      shown().issueServerCertificate({ names: [...new Set([...loopbackNames, ...names])], ttlMs }),
    // By the one that is shown: another hub may not have heard of the coming one yet.
    issueHub: ({ id, ttlMs = hubTtlMs }) => shown().issueHubCertificate({ id, trustDomain, ttlMs }),
    rotate: () =>
      inTurn(async () => {
        if (rollover.is === "overlapping") throw pkiErrors.PKI_ROLLOVER_UNDER_WAY();
        const coming = await createAuthority({ commonName: nextName(), days: lifeDays, clock });
        if (await store.addNext(rollover, coming)) return await enter({ type: "rotated", coming });
        await readAgain();
        throw pkiErrors.PKI_ROLLOVER_UNDER_WAY();
      }),
    retire: () =>
      inTurn(async () => {
        if (rollover.is === "single") throw pkiErrors.PKI_NOTHING_TO_RETIRE();
        if (await store.takeOver(rollover)) return await enter({ type: "retired" });
        await readAgain();
        throw pkiErrors.PKI_NOTHING_TO_RETIRE();
      }),
    refresh,
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      await following?.[Symbol.asyncDispose]();
    },
  };

  function shown(): Authority {
    return shownOf(rollover, clock.now());
  }

  function trusted(): readonly Authority[] {
    return trustedOf(rollover, clock.now());
  }

  function issuerOf(certificate: X509Certificate): string | undefined {
    return trusted().find((authority) => hasSigned(authority, certificate))?.fingerprint;
  }

  async function enter(event: RolloverEvent): Promise<void> {
    const before = rollover;
    rollover = nextRollover(before, event);
    if (rollover !== before) await Promise.all([...listeners].map((listener) => listener()));
  }

  /** All who ask before it begins share one reading. */
  function refresh(): Promise<void> {
    waiting ??= inTurn(async () => {
      waiting = undefined;
      await readAgain();
    });
    return waiting;
  }

  async function readAgain(): Promise<void> {
    if (store.follow === undefined) return;
    const state = await store.read();
    if (state === undefined) throw pkiErrors.PKI_UNREADABLE({ place: "the database" });
    await enter({ type: "found", state });
  }
}

function isInTime(certificate: X509Certificate, nowMs: number): boolean {
  return certificateTime(describeCertificate(certificate), nowMs).state === "valid";
}

function hasSigned(authority: Authority, certificate: X509Certificate): boolean {
  const issuer = certificateOf(authority);
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Read once, as each agent that dials needs it: OpenSSL's copy of each reading stays until all of the heap is looked at. */
function certificateOf(authority: Authority): X509Certificate {
  const known = certificates.get(authority);
  if (known !== undefined) return known;
  const certificate = new X509Certificate(authority.caPem);
  certificates.set(authority, certificate);
  return certificate;
}

const certificates = new WeakMap<Authority, X509Certificate>();

/** Each has a name of its own, so that no reader of a chain takes one for the other. */
function nextName(): string {
  return `${firstName} ${randomBytes(4).toString("hex")}`;
}

const firstName = "Fairlead hub CA";
const lifeDays = 3650;
const serverTtlMs = 30 * 24 * 60 * 60_000;
const hubTtlMs = 24 * 60 * 60_000;
const loopbackNames = ["localhost", "127.0.0.1", "::1"];
