import { createHash } from "node:crypto";
import { request } from "node:https";
import type { Route } from "./load.ts";
import { patternBlocks } from "./pattern.ts";

export interface Upload {
  readonly sentBytes: number;
  /** True when the bytes that arrived have the hash of those that were sent. */
  readonly isWhole: Promise<boolean>;
}

/** Sends bytes as fast as they are taken. */
export function startUpload(options: {
  route: Route;
  path: string;
  sizeBytes: number;
  seed: number;
  signal: AbortSignal;
}): Upload {
  const { route, path, sizeBytes, seed, signal } = options;
  const { hostname: host, port } = new URL(route.origin);
  const hash = createHash("sha256");
  const state = { sentBytes: 0 };
  const isWhole = new Promise<boolean>((resolve, reject) => {
    const headers = { authorization: route.authorization, "content-length": sizeBytes };
    const target = { host, port, ca: route.ca, agent: false, path: route.pathPrefix + path };
    const call = request({ ...target, method: "POST", headers, signal }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
      });
      answer.once("error", reject);
      answer.once("end", () => resolve(answer.statusCode === 200 && text === hash.digest("hex")));
    });
    call.once("error", reject);
    const blocks = patternBlocks(sizeBytes, seed);
    pump();

    function pump(): void {
      for (let { value, done } = blocks.next(); !done; { value, done } = blocks.next()) {
        const block = value as Buffer;
        hash.update(block);
        state.sentBytes += block.length;
        if (!call.write(block)) return void call.once("drain", pump);
      }
      call.end();
    }
  });
  return {
    get sentBytes() {
      return state.sentBytes;
    },
    isWhole,
  };
}
