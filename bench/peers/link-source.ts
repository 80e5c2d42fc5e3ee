// The agent's side of a bare link: it dials, and answers every stream with as many bytes as its path asks for. Reads its
// settings from standard input, prints a port of 0 as JSON when the link is up.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import {
  attachLink,
  type LinkStream,
  linkPath,
  linkSocketOptions,
  linkSubprotocol,
  tuneGarbageCollection,
} from "@fairlead/protocol";
import { WebSocket } from "ws";

const settings = JSON.parse(readFileSync(0, "utf8")) as { port: number; caPem: string };
tuneGarbageCollection();
const chunk = Buffer.alloc(64 * 1024);

const url = `wss://127.0.0.1:${settings.port}${linkPath}`;
const socket = new WebSocket(url, linkSubprotocol, { ...linkSocketOptions, ca: settings.caPem });
await once(socket, "open");
attachLink({
  socket,
  accept(stream) {
    const pump = createPump(stream);
    stream.respond({ status: 200, headers: [] });
    queueMicrotask(pump);
    return { onData: () => {}, onEnd: () => {}, onReset: () => {}, onWritable: pump };
  },
});
console.log(JSON.stringify({ port: 0 }));

function createPump(stream: LinkStream): () => void {
  let left = Number(new URL(stream.open.path, "http://agent").searchParams.get("bytes"));
  let isEnded = false;
  return () => {
    while (left > 0) {
      left -= chunk.length;
      if (!stream.write(chunk)) return;
    }
    if (!isEnded) stream.end();
    isEnded = true;
  };
}
