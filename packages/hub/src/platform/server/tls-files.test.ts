import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { createAuthority } from "@fairlead/protocol/x509";
import { expect, it } from "vitest";
import { type KeyPair, watchTlsFiles } from "./index.ts";

it("a pair is taken over only when both halves are there; until then the old one stays", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-tls-"));
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const authority = await createAuthority({ commonName: "someone else", days: 1 });
  const issue = () => authority.issueServerCertificate({ names: ["localhost"], ttlMs: 3_600_000 });
  const [first, second] = [await issue(), await issue()];
  await writeFile(certFile, first.certPem);
  await writeFile(keyFile, first.keyPem);
  const changes: KeyPair[] = [];
  const errors: unknown[] = [];
  {
    using files = await watchTlsFiles({
      certFile,
      keyFile,
      intervalMs: 20,
      onChanged: (pair) => changes.push(pair),
      onError: (error) => errors.push(error),
    });
    expect(files.first).toEqual({ certPem: first.certPem, keyPem: first.keyPem });
    await writeFile(certFile, second.certPem);
    await until(() => errors.length > 0, "a look at the halves");
    expect(errors[0]).toMatchObject({ code: "CONFIG_CERTIFICATE_UNUSABLE" });
    expect(changes).toEqual([]);
    await writeFile(keyFile, second.keyPem);
    await until(() => changes.length > 0, "the new pair");
    expect(changes[0]).toEqual({ certPem: second.certPem, keyPem: second.keyPem });
  }
  await rm(folder, { recursive: true });
});
