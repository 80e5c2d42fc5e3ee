// The hub's own certificate authority. Made at the first start; another one may follow it while both are trusted.
import { randomBytes, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { type Clock, systemClock } from "@fairlead/kernel";
import { type Authority, createAuthority, isTrustDomain } from "@fairlead/protocol/x509";
import { pkiErrors, pkiExpired, pkiTrustDomainInvalid } from "./errors.ts";
import { createPkiFolder, type PkiFolder } from "./folder.ts";
import { type KeySealFiles, readKeySeal } from "./key-seal.ts";
import { nextRollover, type Rollover, type RolloverEvent, shownOf, signerOf, trustedOf } from "./rollover-state.ts";
import type { Pki } from "./types.ts";

export async function openPki(options: {
  /** Undefined: an authority that is gone when the process ends. */
  readonly dataDir?: string | undefined;
  readonly trustDomain: string;
  readonly clock?: Clock | undefined;
  readonly keySeal?: KeySealFiles | undefined;
}): Promise<Pki> {
  const { dataDir, trustDomain, clock = systemClock, keySeal = {} } = options;
  if (!isTrustDomain(trustDomain)) throw pkiTrustDomainInvalid(trustDomain);
  const seal = await readKeySeal(keySeal);
  const folder = dataDir === undefined ? undefined : createPkiFolder({ path: join(dataDir, "pki"), seal, clock });
  let rollover = (await folder?.read()) ?? (await create(folder, clock));
  const { notAfter } = signerOf(rollover);
  if (notAfter <= clock.now()) throw pkiExpired(notAfter);
  const listeners = new Set<() => Promise<void>>();
  let changing: Promise<void> = Promise.resolve();

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
    issuerOf: (certificate) => trusted().find((authority) => hasSigned(authority, certificate))?.fingerprint,
    async issueAgent(request) {
      const signer = signerOf(rollover);
      return { ...(await signer.issueAgentCertificate({ ...request, trustDomain })), issuer: signer.fingerprint };
    },
    issueServer: ({ names, ttlMs = serverTtlMs }) =>
      shown().issueServerCertificate({ names: [...new Set([...loopbackNames, ...names])], ttlMs }),
    rotate: () =>
      inTurn(async () => {
        if (rollover.is === "overlapping") throw pkiErrors.PKI_ROLLOVER_UNDER_WAY();
        const coming = await createAuthority({ commonName: nextName(), days: lifeDays, clock });
        await folder?.addNext(coming);
        await enter({ type: "rotated", coming });
      }),
    retire: () =>
      inTurn(async () => {
        if (rollover.is === "single") throw pkiErrors.PKI_NOTHING_TO_RETIRE();
        await folder?.takeOver();
        await enter({ type: "retired" });
      }),
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  function shown(): Authority {
    return shownOf(rollover, clock.now());
  }

  function trusted(): readonly Authority[] {
    return trustedOf(rollover, clock.now());
  }

  async function enter(event: RolloverEvent): Promise<void> {
    rollover = nextRollover(rollover, event);
    await Promise.all([...listeners].map((listener) => listener()));
  }

  /** One change at a time. */
  function inTurn(change: () => Promise<void>): Promise<void> {
    const done = changing.then(change);
    changing = done.catch(() => undefined);
    return done;
  }
}

async function create(folder: PkiFolder | undefined, clock: Clock): Promise<Rollover> {
  const current = await createAuthority({ commonName: firstName, days: lifeDays, clock });
  await folder?.create(current);
  return { is: "single", current };
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
const loopbackNames = ["localhost", "127.0.0.1", "::1"];
