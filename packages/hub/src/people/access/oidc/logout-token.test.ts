// A logout token counts once: for as long as its signature and times hold it must be known as used.
import { generateKeyPairSync } from "node:crypto";
import { exportJWK, SignJWT } from "jose";
import { expect, it } from "vitest";
import { createLogoutReader } from "./logout-token.ts";

const issuer = "https://idp.test";
const clientId = "fairlead";
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const issuedSeconds = 1_900_000_000;

it.each([60, 600, 86_400])(
  "is remembered for as long as it is taken, with %i seconds to its end",
  async (lifeSeconds) => {
    let nowMs = issuedSeconds * 1_000;
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: "ES256", use: "sig" }] });
    const read = createLogoutReader({
      issuer,
      clientId,
      keysUrl: `${issuer}/keys`,
      algorithms: ["ES256"],
      fetch: async () => new Response(keys, { headers: { "content-type": "application/json" } }),
      clock: { now: () => nowMs, steadyMs: () => nowMs, after: () => () => undefined },
    });
    const token = await new SignJWT({ events: { "http://schemas.openid.net/event/backchannel-logout": {} } })
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer(issuer)
      .setAudience(clientId)
      .setSubject("alice")
      .setJti("once")
      .setIssuedAt(issuedSeconds)
      .setExpirationTime(issuedSeconds + lifeSeconds)
      .sign(privateKey);

    const { endsMs } = await read(token);
    const endSeconds = issuedSeconds + Math.min(lifeSeconds, 600);
    for (let tenths = 250; tenths < 350; tenths += 1) {
      nowMs = endSeconds * 1_000 + tenths * 100;
      const isTaken = await read(token).then(
        () => true,
        () => false,
      );
      if (isTaken) expect(endsMs, `${tenths} tenths after its end`).toBeGreaterThan(nowMs);
    }
    expect(nowMs).toBeGreaterThan(endsMs);
    await expect(read(token)).rejects.toMatchObject({ code: "AUTH_OIDC_LOGOUT_INVALID" });
  },
);
