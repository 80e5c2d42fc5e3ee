import { expect, it, test } from "vitest";
import { parseEpochUri } from "./epoch.ts";
import { createAuthority, createCsr, describeCertificate } from "./index.ts";

it("is in an agent's certificate where the hub says one, beside its names", async () => {
  const authority = await createAuthority({ commonName: "test CA", days: 1 });
  const { csrDer } = await createCsr({});
  const wanted = { csrDer, trustDomain: "fairlead.test", cluster: "east", roles: ["proxy"] as const, ttlMs: 60_000 };
  const [without, third] = await Promise.all([
    authority.issueAgentCertificate(wanted),
    authority.issueAgentCertificate({ ...wanted, epoch: 3 }),
  ]);
  expect(describeCertificate(without.certPem)).not.toHaveProperty("epoch");
  expect(describeCertificate(third.certPem)).toMatchObject({
    epoch: 3,
    identities: [{ cluster: "east", role: "proxy" }],
  });
});

test.each([
  "urn:fairlead:epoch:",
  "urn:fairlead:epoch:-1",
  "urn:fairlead:epoch:01",
  "URN:fairlead:epoch:1",
  "urn:fairlead:epoch:1 ",
])("%j is none", (uri) => expect(parseEpochUri(uri)).toBeUndefined());
