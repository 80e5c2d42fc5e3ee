// A request with a body may take as long as its body moves, and then as long as any answer may.
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { expect, it } from "vitest";
import { authorized, openProxyHarness } from "./proxy-harness.fixture.ts";

const headDeadlineMs = 600;

it("an upload that is slower than an answer may be is carried out", async () => {
  await using harness = await openProxyHarness({
    headDeadlineMs,
    async upstream(req, res) {
      let sizeBytes = 0;
      for await (const chunk of req) sizeBytes += (chunk as Buffer).length;
      res.end(String(sizeBytes));
    },
  });
  const client = openUpload(harness.url);
  const parts = 12;
  for (let part = 0; part < parts; part += 1) {
    client.write("x");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  client.end();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  expect([answer.statusCode, await readText(answer)]).toEqual([200, String(parts)]);
}, 20_000);

it.each(["sends nothing more", "has sent all"])(
  "an upload whose client %s gets no answer and is given up",
  async (how) => {
    await using harness = await openProxyHarness({ headDeadlineMs, upstream: (req) => void req.resume() });
    const client = openUpload(harness.url);
    client.on("error", () => undefined);
    client.write("x");
    if (how === "has sent all") client.end();
    const [answer] = (await once(client, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(504);
    expect(await readText(answer)).toContain("PROXY_DEADLINE");
    client.destroy();
  },
  20_000,
);

function openUpload(url: string): ClientRequest {
  return request(url, { method: "POST", headers: { ...authorized, "transfer-encoding": "chunked" }, agent: false });
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return text;
}
