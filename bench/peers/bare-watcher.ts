// The yardstick of a live picture: one watch of a kind, straight at the API server, that only reads what comes.
import { Agent, request } from "undici";
import { createArrivals } from "../harness/arrivals.ts";
import { serveParent } from "../harness/forked-peer.ts";
import { changeAnnotation } from "../inventory/objects.ts";

const arrivals = createArrivals();

serveParent({
  async open({ url, caPem, token, path }: { url: string; caPem: string; token: string; path: string }) {
    const dispatcher = new Agent({ allowH2: false, connect: { ca: caPem }, bodyTimeout: 0, headersTimeout: 0 });
    const headers = { authorization: `Bearer ${token}` };
    const list = await request(`${url}${path}?limit=1`, { dispatcher, headers });
    const { metadata } = (await list.body.json()) as { metadata: { resourceVersion: string } };
    const watch = await request(`${url}${path}?watch=true&resourceVersion=${metadata.resourceVersion}`, {
      dispatcher,
      headers,
    });
    void read(watch.body.setEncoding("utf8") as AsyncIterable<string>);
  },
  take: () => arrivals.take(),
});

async function read(chunks: AsyncIterable<string>): Promise<void> {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { object } = JSON.parse(line) as { object: { metadata: { annotations?: Record<string, string> } } };
      arrivals.note(object.metadata.annotations?.[changeAnnotation]);
    }
  }
}
