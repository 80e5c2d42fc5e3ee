import { X509Certificate } from "node:crypto";
import type { CreateClusterResponse } from "@fairlead/contract";
import { change, type Harness } from "../harness.ts";
import { askForLink, createAgentKey, enroll } from "./agents.ts";

/**
 * A cluster whose join token is taken by one key; by its number another key then tries the token, or the identities are
 * revoked, or the cluster is removed, or nothing of that.
 */
export async function joinAndLeave(harness: Harness, number: number): Promise<void> {
  const { hub, ledger } = harness;
  const name = `c-${number}`;
  const path = `/api/v1/clusters/${name}`;
  const created = await change<CreateClusterResponse>(harness, "POST", "/api/v1/clusters", { name, roles: ["proxy"] });
  const { token = "" } = created.join;
  const isThere = await ledger.note(`cluster ${name} is there`, (picture) => picture.hasCluster(name));

  const key = await createAgentKey();
  const enrolled = await enroll(hub, { token, key });
  if ("code" in enrolled) throw new Error(`the agent of ${name} was refused: ${enrolled.code}`);
  const { certificatePem } = enrolled;
  const serial = new X509Certificate(certificatePem).serialNumber.toLowerCase();
  const isKnown = await ledger.note(`the identity of ${name} is listed`, async (picture) =>
    (await picture.readCluster(name)).identities.some((each) => isSame(each.serial, serial) && !each.revokedAt),
  );
  const isLetIn = await ledger.note(
    `the agent of ${name} gets a link`,
    async (picture) => (await askForLink(picture.hub, certificatePem, key)) === "open",
    { isProbe: true },
  );
  const isRepeated = await ledger.note(
    `the join token of ${name} gives its key the same certificate again`,
    async (picture) => {
      const again = await enroll(picture.hub, { token, key });
      return "certificatePem" in again && again.certificatePem === certificatePem;
    },
    { isProbe: true },
  );
  const isClaimed = await ledger.note(
    `the join token of ${name} is refused to another key`,
    async (picture) => {
      const other = await enroll(picture.hub, { token, key: await createAgentKey() });
      return "code" in other && other.code === "ENROLL_TOKEN_USED";
    },
    { isProbe: true },
  );

  switch (number % 4) {
    case 0: {
      const other = await enroll(hub, { token, key: await createAgentKey() });
      if (!("code" in other)) throw new Error(`the join token of ${name} was good for two keys`);
      await ledger.note(`the misuse of the token of ${name} is an alarm`, async (picture) =>
        ((await picture.readCluster(name)).alarms ?? []).some(({ type }) => type === "token-misused"),
      );
      return;
    }
    case 1:
      await ledger.end(isKnown, isLetIn, isRepeated, isClaimed);
      await change(harness, "POST", `${path}/revoke`, { reason: "lost" });
      await ledger.note(
        `the agent of ${name} is refused as revoked`,
        async (picture) => (await askForLink(picture.hub, certificatePem, key)) === "IDENTITY_REVOKED",
        { isProbe: true },
      );
      await ledger.note(`${name} is revoked`, async (picture) => (await picture.readCluster(name)).state === "revoked");
      return;
    case 2:
      await ledger.end(isThere, isKnown, isLetIn, isRepeated, isClaimed);
      await change(harness, "DELETE", path);
      await ledger.note(`cluster ${name} is gone`, async (picture) => !(await picture.hasCluster(name)));
      await ledger.note(
        `the agent of ${name}, which is gone, is refused`,
        async (picture) => (await askForLink(picture.hub, certificatePem, key)) !== "open",
        { isProbe: true },
      );
      return;
  }
}

/** Certificates are listed with their serials as the hub writes them, with or without leading zeros. */
function isSame(one: string | undefined, other: string): boolean {
  return one?.toLowerCase().replace(/^0+/, "") === other.replace(/^0+/, "");
}
