// The agent's identity over its life: enroll once, use, renew, and enroll again with a new token when the hub no
// longer takes it. A key is stored before its token is spent, and asking again with both gets the same answer.
import { type FairleadError, listCertificates, toFairleadError } from "@fairlead/kernel";
import { createCsr, describeCertificate } from "@fairlead/protocol/x509";
import type { Route } from "../dial/index.ts";
import { type EnrollAnswer, type EnrollOptions, enroll } from "./enroll.ts";
import { identityRejected, rolesMissing, tokenForOtherCluster } from "./errors.ts";
import { type IdentityEvent, type IdentityState, issuedOf, nextIdentityState } from "./identity-state.ts";
import type { LinkIdentityKeeper } from "./link-identity.ts";
import type { IdentityStorage, IssuedIdentity, PendingIdentity } from "./storage.ts";
import type { GivenToken, TokenSource } from "./token.ts";

export interface IdentityLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface IdentityOptions {
  readonly route: Route;
  readonly roles: readonly string[];
  readonly agentVersion: string;
  readonly storage: IdentityStorage;
  readonly token: TokenSource;
  readonly log: IdentityLog;
  readonly enroll?: (options: EnrollOptions) => Promise<EnrollAnswer>;
}

export interface IdentityKeeper extends LinkIdentityKeeper {
  /** Enrolls when there is none, or when the hub rejected the one there was. */
  ensure(options?: { readonly signal?: AbortSignal | undefined }): Promise<IssuedIdentity>;
  readonly current: IssuedIdentity | undefined;
  /** False while the current identity couldn't be written. */
  readonly isSaved: boolean;
  /** Enrolls again when a new token is there and roles are missing; the identity that there is holds until that works. */
  widen(options: { readonly signal: AbortSignal }): Promise<boolean>;
  /** Gets a new certificate for the same key by whatever way `issue` goes, and keeps it. */
  renew(issue: (csrDer: Uint8Array) => Promise<{ certificateChainPem: string; caPem: string }>): Promise<void>;
  /** Writes again what couldn't be written. */
  flush(): Promise<void>;
}

export function createIdentityKeeper(options: IdentityOptions): IdentityKeeper {
  const { route, storage, token, log } = options;
  let state: IdentityState = { is: "unread" };
  /** The id of a token that didn't give the missing roles: it isn't tried again. */
  let vainTokenId: string | undefined;
  let said: string | undefined;

  return {
    async ensure({ signal } = {}) {
      if (state.is === "unread") enter({ type: "read", stored: await storage.read() });
      const issued = issuedOf(state);
      if (!issued) return enrollWith(await token.read(), signal);
      const given = await token.read().catch(() => undefined);
      if (given && isForAnotherHub(given, issued)) return enrollWith(given, signal);
      if (state.is !== "rejected") return (await widen(given, signal)) ? (issuedOf(state) ?? issued) : issued;
      if (!given || given.id === issued.tokenId) throw identityRejected(state.rejection);
      return enrollWith(given, signal);
    },
    get current() {
      return issuedOf(state);
    },
    get isSaved() {
      return "isSaved" in state && state.isSaved;
    },
    get shortfall() {
      return findShortfall();
    },
    widen: async ({ signal }) => widen(await token.read().catch(() => undefined), signal),
    reject(error) {
      enter({ type: "rejected", error });
    },
    async hasNewToken() {
      const given = await token.read().catch(() => undefined);
      return given !== undefined && given.id !== issuedOf(state)?.tokenId;
    },
    async renew(issue) {
      const issued = issuedOf(state);
      if (!issued) return;
      const { csrDer } = await createCsr({ keyPem: issued.keyPem });
      const answer = await issue(csrDer);
      const renewed = {
        ...issued,
        certificateChainPem: answer.certificateChainPem,
        caPem: answer.caPem || issued.caPem,
      };
      assertReadable(renewed);
      enter({ type: "renewed", issued: renewed });
      await save();
    },
    flush: save,
  };

  function enter(event: IdentityEvent): void {
    state = nextIdentityState(state, event);
  }

  function findShortfall(): FairleadError | undefined {
    const { cluster = "", roles: has } = issuedOf(state) ?? {};
    if (!has || options.roles.every((role) => has.includes(role))) return undefined;
    return rolesMissing({ cluster, has, wanted: options.roles, tokenPlace: token.place });
  }

  async function widen(given: GivenToken | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    const issued = issuedOf(state);
    const shortfall = findShortfall();
    if (!issued || !shortfall) return false;
    const isNew = given !== undefined && ![issued.tokenId, vainTokenId].includes(given.id);
    if (isNew && !isForAnotherHub(given, issued)) {
      try {
        await enrollWith(given, signal, issued.cluster);
        return findShortfall() === undefined;
      } catch (thrown) {
        if (signal?.aborted) return false;
        const error = toFairleadError(thrown);
        if (!error.retryable) vainTokenId = given.id;
        sayOnce(error, `not enrolled for more roles: ${error.message}`);
      }
    }
    if (!isNew) sayOnce(shortfall, shortfall.message);
    return false;
  }

  function sayOnce({ code, hint }: FairleadError, text: string): void {
    if (said === text) return;
    said = text;
    log.error({ code, hint }, text);
  }

  async function enrollWith(
    given: GivenToken,
    signal: AbortSignal | undefined,
    ownCluster?: string,
  ): Promise<IssuedIdentity> {
    const taken = await takeOver(given);
    if (taken) return taken;
    const pending = await storePending(given);
    // Another replica got through in between: its identity is ours.
    if (!pending) return enrollWith(given, signal, ownCluster);
    const { csrDer } = await createCsr({ keyPem: pending.keyPem });
    const answer = await (options.enroll ?? enroll)({
      route,
      token: given.text,
      caFingerprint: given.caFingerprint,
      csrDer,
      roles: options.roles,
      agentVersion: options.agentVersion,
      signal,
    });
    if (ownCluster !== undefined && answer.cluster !== ownCluster) {
      throw tokenForOtherCluster({ own: ownCluster, other: answer.cluster });
    }
    const issued: IssuedIdentity = {
      ...pending,
      cluster: answer.cluster,
      roles: answer.roles,
      certificateChainPem: answer.certificateChainPem,
      caPem: answer.caPem,
    };
    assertReadable(issued);
    enter({ type: "enrolled", issued, isSaved: false });
    await save();
    log.info({ cluster: issued.cluster, roles: issued.roles, place: storage.place }, "enrolled with the hub");
    return issued;
  }

  /** Another replica may be through with this token already; it would take no second key, and the hub raises an alarm. */
  async function takeOver(given: GivenToken): Promise<IssuedIdentity | undefined> {
    const { issued } = await storage.read();
    if (issued?.tokenId !== given.id || issuedOf(state)?.tokenId === given.id) return undefined;
    enter({ type: "enrolled", issued, isSaved: true });
    return issued;
  }

  /**
   * Another replica may have begun with the same token: then its key is used, because a token takes only one. Undefined
   * when that one is through by now.
   */
  async function storePending(given: GivenToken): Promise<PendingIdentity | undefined> {
    const { keyPem } = await createCsr();
    const next = await storage.update((current) =>
      [current.pending?.tokenId, current.issued?.tokenId].includes(given.id)
        ? current
        : { ...current, pending: { keyPem, tokenId: given.id } },
    );
    if (next.pending?.tokenId !== given.id) return undefined;
    enter({ type: "began", stored: next });
    return next.pending;
  }

  /** Writes what isn't in the storage yet. A certificate that can't be written is still good for this process. */
  async function save(): Promise<void> {
    const issued = issuedOf(state);
    if (!issued || !("isSaved" in state) || state.isSaved) return;
    try {
      await storage.update(() => ({ issued }));
      enter({ type: "saved", issued });
    } catch (error) {
      log.warn({ err: error, place: storage.place }, "the new certificate can't be stored; it is tried again");
    }
  }
}

/** Throws a coded error on what can't be a certificate, before it replaces one that is. */
function assertReadable(issued: IssuedIdentity): void {
  describeCertificate(issued.certificateChainPem);
  describeCertificate(issued.caPem);
}

/** A token from a hub with another CA: the operator moved this agent. A hub may have two while one follows another. */
function isForAnotherHub(given: GivenToken, issued: IssuedIdentity): boolean {
  if (given.id === issued.tokenId) return false;
  const known = listCertificates(issued.caPem);
  return !known.some((pem) => describeCertificate(pem).fingerprint === given.caFingerprint);
}
