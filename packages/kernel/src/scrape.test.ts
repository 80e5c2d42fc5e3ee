import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createScrapeHandler, type ScrapedPage } from "./scrape.ts";
import { createMovableClock } from "./testing/index.ts";

function open(render: ScrapedPage["render"]) {
  const clock = createMovableClock();
  const handle = createScrapeHandler({ page: { contentType: "text/plain; version=0.0.4", render }, clock });
  const ask = async (method: string, url: string) => {
    let status = 0;
    let headers: Readonly<Record<string, string | number>> = {};
    const body = await new Promise<string>((resolve) => {
      handle(
        { method, url },
        {
          writeHead(...head) {
            [status, headers] = head;
          },
          end: (bytes) => resolve(new TextDecoder().decode(bytes)),
        },
      );
    });
    return { status, headers, body };
  };
  return { clock, ask };
}

test("there is GET /metrics and nothing else", async () => {
  const { ask } = open(async () => "up 1\n");
  expect(await ask("GET", "/metrics?name[]=up")).toMatchObject({
    status: 200,
    headers: { "content-type": "text/plain; version=0.0.4", "content-length": 5 },
    body: "up 1\n",
  });
  for (const url of ["/", "/metrics/", "/healthz", "/api/v1/clusters", "//metrics", "http://hub/metrics", "*", ""])
    expect((await ask("GET", url)).status, url).toBe(404);
  for (const method of ["POST", "HEAD", "OPTIONS", "DELETE"])
    expect(await ask(method, "/metrics"), method).toMatchObject({ status: 405, headers: { allow: "GET" } });
});

test("however many scrape at once, the page is made once in a second", async () => {
  let made = 0;
  const { clock, ask } = open(async () => {
    await setImmediate();
    return `made ${++made}\n`;
  });
  const crowd = await Promise.all(Array.from({ length: 500 }, () => ask("GET", "/metrics")));
  expect(new Set(crowd.map(({ body }) => body))).toEqual(new Set(["made 1\n"]));
  expect((await ask("GET", "/metrics")).body).toBe("made 1\n");
  clock.move(1_000);
  expect((await ask("GET", "/metrics")).body).toBe("made 2\n");
});

test("a page that can't be made is an error without its cause, and is tried again", async () => {
  let isBroken = true;
  const { clock, ask } = open(async () => {
    if (isBroken) throw new Error("secret detail");
    return "up 1\n";
  });
  expect(await ask("GET", "/metrics")).toMatchObject({ status: 500, body: "The metrics can't be collected.\n" });
  isBroken = false;
  clock.move(1_000);
  expect((await ask("GET", "/metrics")).status).toBe(200);
});
