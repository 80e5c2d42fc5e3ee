// The rooms of identity on one store in memory, with a clock and links that the test moves.
import { X509Certificate } from "node:crypto";
import type { Clock } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";
import { type CertificateRequest, createCsr } from "@fairlead/protocol/x509";
import { type Clusters, openClusters, type PresentLink } from "../clusters/index.ts";
import { openPki, type Pki } from "../pki/index.ts";
import type { Store } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { type Enrollment, type Identity, openIdentity } from "./index.ts";

export interface MovableClock extends Clock {
  move(byMs: number): void;
  readonly pendingCount: number;
}

export interface IdentityBed extends AsyncDisposable {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly links: PresentLink[];
  readonly pki: Pki;
  readonly clusters: Clusters;
  readonly identity: Identity;
  /** A cluster with a name of its own, and a token for it. */
  createCluster(roles?: readonly Role[]): Promise<{ readonly name: string; readonly token: string }>;
  enroll(options: {
    readonly token: string;
    readonly csr?: CertificateRequest;
    readonly roles?: readonly Role[];
  }): Promise<Enrollment>;
}

export async function startIdentity(): Promise<IdentityBed> {
  const store = await openMemoryStore();
  const clock = createMovableClock(Date.UTC(2030, 0, 1));
  const links: PresentLink[] = [];
  const pki = await openPki({ trustDomain: "fairlead.test", clock });
  const clusters = await openClusters({ db: store.db, clock, links: { list: () => links } });
  const identity = openIdentity({ db: store.db, pki, clusters, clock });
  let count = 0;
  return {
    store,
    clock,
    links,
    pki,
    clusters,
    identity,
    async createCluster(roles = ["proxy"]) {
      const { name } = await clusters.create({ name: `cluster-${++count}`, roles });
      return { name, token: (await identity.createJoinToken({ cluster: name })).token };
    },
    async enroll({ token, csr, roles = ["proxy"] }) {
      const { csrDer } = csr ?? (await createCsr());
      return await identity.enroll({ token, csrDer, roles, remoteAddress: "192.0.2.7" });
    },
    async [Symbol.asyncDispose]() {
      await clusters[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

export function toDer(pem: string): Uint8Array {
  return new X509Certificate(pem).raw;
}

/** Timers run when the clock is moved past them, in order. */
export function createMovableClock(startMs: number): MovableClock {
  let nowMs = startMs;
  const timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  return {
    now: () => nowMs,
    after(delayMs, callback) {
      const timer = { atMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get pendingCount() {
      return timers.size;
    },
    move(byMs) {
      nowMs += byMs;
      for (const timer of [...timers].sort((a, b) => a.atMs - b.atMs)) {
        if (timer.atMs <= nowMs && timers.delete(timer)) timer.callback();
      }
    },
  };
}
