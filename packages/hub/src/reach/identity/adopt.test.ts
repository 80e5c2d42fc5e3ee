// Certificates that a hub's authority never writes, as a given authority may have signed them for others.
import type { CertificateDescription, SpiffeIdentity } from "@fairlead/protocol/x509";
import { expect, test } from "vitest";
import { adopt } from "./adopt.ts";
import type { IdentityContext } from "./types.ts";

const trustDomain = "fairlead.test";
const east: SpiffeIdentity = { trustDomain, cluster: "east", role: "proxy" };

test.each<[string, readonly SpiffeIdentity[], number | undefined, string]>([
  ["without a role", [], 1, "IDENTITY_UNKNOWN"],
  ["of two clusters", [east, { ...east, cluster: "west" }], 1, "IDENTITY_UNKNOWN"],
  ["of two trust domains", [east, { ...east, trustDomain: "other.test" }], 1, "IDENTITY_UNKNOWN"],
  ["of another trust domain", [{ ...east, trustDomain: "other.test" }], 1, "IDENTITY_UNKNOWN"],
  ["without an epoch", [east], undefined, "IDENTITY_UNKNOWN"],
  ["of an epoch that is over", [east], 0, "IDENTITY_REVOKED"],
  ["of a cluster that isn't declared", [{ ...east, cluster: "north" }], 1, "IDENTITY_UNDECLARED"],
  ["with a role that isn't declared", [{ ...east, role: "execute" }], 1, "IDENTITY_ROLE_UNDECLARED"],
  ["with a role beside the declared one", [east, { ...east, role: "execute" }], 1, "IDENTITY_ROLE_UNDECLARED"],
])("a hub that keeps nothing knows no agent by a certificate %s", async (_what, identities, epoch, code) => {
  const certificate: CertificateDescription & { issuer: string } = {
    serial: "1",
    notBefore: 0,
    notAfter: 1,
    fingerprint: "f",
    keyThumbprint: "k",
    issuer: "i",
    identities,
    epoch,
  };
  const clusters = ["east", "west"];
  const declared = {
    keepsNothing: true,
    cluster: (name: string) => (clusters.includes(name) ? { roles: ["proxy"], identityEpoch: 1 } : undefined),
    isDeclared: (name: string) => clusters.includes(name),
    isWithdrawn: () => false,
  };
  // The database isn't asked.
  const context = { db: undefined, pki: { trustDomain }, declared } as unknown as IdentityContext;
  await expect(adopt(context, { certificate, certDer: new Uint8Array() })).rejects.toMatchObject({ code });
});
