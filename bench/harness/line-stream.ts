// An answer that goes on and on, such as a watch or a followed log, on a connection of its own, read line by line.
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { Route } from "./load.ts";

/** Leaving the loop over it closes the connection; a stream that breaks off throws. */
export function openLines(options: {
  route: Route;
  path: string;
  signal: AbortSignal;
}): Promise<AsyncGenerator<string>> {
  const { route, path, signal } = options;
  const { hostname: host, port } = new URL(route.origin);
  const target = { host, port, ca: route.ca, agent: false, path: route.pathPrefix + path };
  return new Promise((resolve, reject) => {
    const call = request({ ...target, headers: { authorization: route.authorization }, signal }, (answer) => {
      if (answer.statusCode === 200) return resolve(splitLines(answer));
      call.destroy();
      reject(new Error(`${route.name}: ${path} was answered ${answer.statusCode}`));
    });
    call.on("error", reject);
    call.end();
  });
}

async function* splitLines(answer: IncomingMessage): AsyncGenerator<string> {
  answer.setEncoding("utf8");
  let rest = "";
  for await (const chunk of answer as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
