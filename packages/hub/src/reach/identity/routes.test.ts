import { isFairleadError } from "@fairlead/kernel";
import { createCsr, describeCertificate } from "@fairlead/protocol/x509";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IdentityHarness, startIdentity } from "./identity.fixture.ts";
import { createEnrollRoutes } from "./index.ts";

let harness: IdentityHarness;
let app: FastifyInstance;
beforeAll(async () => {
  harness = await startIdentity();
  app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    isFairleadError(error)
      ? reply.code(error.httpStatus).send({ code: error.code })
      : reply.code(500).send({ code: "UNEXPECTED", text: String(error) }),
  );
  await app.register(createEnrollRoutes({ identity: harness.identity }));
});
afterAll(async () => {
  await app.close();
  await harness[Symbol.asyncDispose]();
});

async function post(payload: string | object, type = "application/json") {
  const answer = await app.inject({
    method: "POST",
    url: "/agent/v1/enroll",
    headers: { "content-type": type },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() as Record<string, unknown> };
}

describe("POST /agent/v1/enroll", () => {
  it("answers a token and a request with the chain, the CA and the end as RFC 3339", async () => {
    const { name, token } = await harness.createCluster();
    const { csrDer } = await createCsr();
    const { status, body } = await post({
      token,
      csrDer: Buffer.from(csrDer).toString("base64"),
      roles: ["proxy"],
      agentVersion: "0.1.0",
      somethingNewer: true,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      cluster: name,
      roles: ["proxy"],
      caPem: harness.pki.caPem,
      trustDomain: "fairlead.test",
    });
    const { notAfter } = describeCertificate(String(body["certificateChainPem"]));
    expect(body["notAfter"]).toBe(new Date(notAfter).toISOString());
  });

  it("takes base64 of the URL-safe alphabet as well", async () => {
    const { token } = await harness.createCluster();
    const { csrDer } = await createCsr();
    const { status } = await post({ token, csrDer: Buffer.from(csrDer).toString("base64url"), roles: ["proxy"] });
    expect(status).toBe(200);
  });

  it("refuses a body of 1 MB before it reads it", async () => {
    const { status, body } = await post({ token: "x".repeat(1024 * 1024) });
    expect([status, body["code"]]).toEqual([413, "ENROLL_BODY_TOO_LARGE"]);
  });

  it.each([
    ["no JSON", "{", "application/json", "ENROLL_BODY_INVALID"],
    ["nothing", "", "application/json", "ENROLL_BODY_INVALID"],
    ["another media type", "<a/>", "application/xml", "ENROLL_BODY_INVALID"],
    ["null", "null", "application/json", "ENROLL_BODY_INVALID"],
    ["members of other types", '{"token":1,"csrDer":[],"roles":"proxy"}', "application/json", "ENROLL_BODY_INVALID"],
    ["no base64", '{"token":"x","csrDer":"%%","roles":["proxy"]}', "application/json", "ENROLL_BODY_INVALID"],
    ["a role that isn't", '{"token":"x","csrDer":"","roles":["root"]}', "application/json", "ENROLL_ROLES_INVALID"],
    ["a token that isn't", '{"token":"x","csrDer":"","roles":["proxy"]}', "application/json", "ENROLL_TOKEN_MALFORMED"],
  ])("refuses %s", async (_what, payload, type, code) => {
    const { status, body } = await post(payload, type);
    expect(body["code"]).toBe(code);
    expect(status).toBe(400);
  });
});
