// Each operation that takes a body has a limit of its own, on a whole hub with real listeners.
import { request } from "node:https";
import { type Operation, operations } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, openTestHub, type TestHub } from "./hub.fixture.ts";

let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

// OpenID Connect says how a logout is answered: 400 with `error`. The code is in its description.
const toProviders = "endSessionsByProvider";
const writing = operations.filter(({ method, id }) => method !== "GET" && id !== toProviders);

describe("a body that is larger than any operation takes", () => {
  it.each(writing.map((operation) => [operation.id, operation] as const))(
    "%s answers with 413 and a code",
    async (_id, operation) => {
      const { status, json } = await send(operation, 8 * 1024 * 1024);
      expect([status, json]).toMatchObject([413, { code: "API_REQUEST_INVALID", requestId: expect.any(String) }]);
    },
  );

  it(`${toProviders} answers as OpenID Connect wants it`, async () => {
    const { status, json } = await send(find(toProviders), 8 * 1024 * 1024);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error_description: expect.stringMatching(/too large \(API_REQUEST_INVALID\)/) });
  });

  it("leaves the hub answering others", async () => {
    expect((await call(harness.hub.peopleUrl, "/readyz")).status).toBe(200);
  });
});

it.each(["putTemplate", "putSchedule", "putProfile"])("%s takes no body of one megabyte", async (id) => {
  const { status, json } = await send(find(id), 1_000_000);
  expect([status, json]).toMatchObject([413, { code: "API_REQUEST_INVALID" }]);
});

function find(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`there is no operation ${id}`);
  return found;
}

interface Answer {
  readonly status: number | undefined;
  readonly json: unknown;
}

/** Reads the answer also where the hub takes no more of the body; a connection that breaks off before it fails. */
function send(operation: Operation, sizeBytes: number): Promise<Answer> {
  const { method, path, requestContentType = "application/json" } = operation;
  const url = harness.hub.peopleUrl + path.replaceAll(/\{\w+\}/g, "x");
  const body = Buffer.from(JSON.stringify({ text: "x".repeat(sizeBytes) }));
  const headers = { ...harness.admin, "content-type": requestContentType, "content-length": String(body.length) };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const asked = request(url, { method, headers, agent: false, rejectUnauthorized: false }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode, json: text === "" ? undefined : JSON.parse(text) });
    });
    response.on("error", reject);
  });
  asked.on("error", reject);
  asked.end(body);
  return promise;
}
