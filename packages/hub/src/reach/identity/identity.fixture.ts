// The rooms of identity on one store in memory, with a clock and links that the test moves.
import { X509Certificate } from "node:crypto";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import type { Role } from "@fairlead/protocol";
import { type CertificateRequest, createCsr } from "@fairlead/protocol/x509";
import { openPki, type Pki } from "../../platform/pki/index.ts";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { type Clusters, openClusters, type PresentLink } from "../clusters/index.ts";
import { createPresence } from "../clusters/presence.fixture.ts";
import { type Enrollment, type Identity, openIdentity } from "./index.ts";

export interface IdentityHarness extends AsyncDisposable {
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

export async function startIdentity(): Promise<IdentityHarness> {
  const store = await openMemoryStore();
  const clock = createMovableClock(Date.UTC(2030, 0, 1));
  const links: PresentLink[] = [];
  const pki = await openPki({ trustDomain: "fairlead.test", clock });
  const clusters = await openClusters({ db: store.db, clock, links: createPresence(() => links) });
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
