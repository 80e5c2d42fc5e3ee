import type { Session } from "@fairlead/contract";
import { requestHub } from "../../fleet/request-hub.ts";
import { type Bed, change } from "../bed.ts";

/** A session of the admin's that half of the time ends, and a role that half of the time is removed. */
export async function signInAndOut(bed: Bed, number: number): Promise<void> {
  const { ledger } = bed;
  const { sessionId, accessToken } = await change<Session>(bed, "POST", "/api/v1/sessions");
  const isSignedIn = await ledger.note(`session ${sessionId} goes on`, (picture) => picture.hasSession(sessionId));
  if (number % 2 === 0) {
    await ledger.end(isSignedIn);
    await change(bed, "DELETE", `/api/v1/sessions/${sessionId}`);
    const authorization = `Bearer ${accessToken}`;
    await ledger.note(
      `session ${sessionId} is over`,
      async ({ hub }) => (await requestHub(hub, "/api/v1/whoami", { authorization })).status === 401,
      { isProbe: true },
    );
  }

  const role = `role-${number}`;
  const path = `/api/v1/roles/${role}`;
  await change(bed, "PUT", path, { hubRules: [{ verbs: ["get"], resources: ["clusters"] }] });
  const isMade = await ledger.note(`${role} is there`, (picture) => picture.hasRole(role));
  if (number % 2 === 0) return;
  await ledger.end(isMade);
  await change(bed, "DELETE", path);
  await ledger.note(`${role} is gone`, async (picture) => !(await picture.hasRole(role)));
}
