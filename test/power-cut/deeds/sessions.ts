import type { Session } from "@fairlead/contract";
import { requestHub } from "../../fleet/request-hub.ts";
import { change, type Harness } from "../harness.ts";

/** A session of the admin's that half of the time ends, and a role that half of the time is removed. */
export async function signInAndOut(harness: Harness, number: number): Promise<void> {
  const { ledger } = harness;
  const { sessionId, accessToken } = await change<Session>(harness, "POST", "/api/v1/sessions");
  const isSignedIn = await ledger.note(`session ${sessionId} goes on`, (picture) => picture.hasSession(sessionId));
  if (number % 2 === 0) {
    await ledger.end(isSignedIn);
    await change(harness, "DELETE", `/api/v1/sessions/${sessionId}`);
    const authorization = `Bearer ${accessToken}`;
    await ledger.note(
      `session ${sessionId} is over`,
      async ({ hub }) => (await requestHub(hub, "/api/v1/whoami", { authorization })).status === 401,
      { isProbe: true },
    );
  }

  const role = `role-${number}`;
  const path = `/api/v1/roles/${role}`;
  await change(harness, "PUT", path, { hubRules: [{ verbs: ["get"], resources: ["clusters"] }] });
  const isMade = await ledger.note(`${role} is there`, (picture) => picture.hasRole(role));
  if (number % 2 === 0) return;
  await ledger.end(isMade);
  await change(harness, "DELETE", path);
  await ledger.note(`${role} is gone`, async (picture) => !(await picture.hasRole(role)));
}
