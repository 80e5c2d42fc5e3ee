// Judges a request of a command's program, and passes it on.
import type { IncomingMessage, ServerResponse } from "node:http";
import { doorErrors } from "./errors.ts";
import { filterSecrets } from "./filter-secrets.ts";
import { judgePassage } from "./judge-passage.ts";
import { passOn } from "./pass-on.ts";
import { readObjectName } from "./read-object-name.ts";
import type { DoorRun } from "./types.ts";

export async function passRequest(options: {
  readonly run: DoorRun;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As the API server has it. */
  readonly path: string;
}): Promise<void> {
  const { run, request, path } = options;
  const { method = "GET", headers } = request;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
  const contentType = headers["content-type"];
  const passage = judgePassage({ run, method, path, hasBody, contentType });
  const passing = { ...options, kube: run.kube, mayPass: run.mayPass, userAgent: run.userAgent };
  switch (passage.is) {
    case "whole":
      return await passOn({ ...passing, body: hasBody ? request : null });
    case "secrets": {
      const { attributes, isDryRun } = passage;
      const sight = run.secrets;
      const rewriting = sight && filterSecrets({ sight, attributes, isDryRun });
      return await passOn({ ...passing, body: hasBody ? request : null, rewriting });
    }
    case "kept":
      return await passOn({ ...passing, body: await readKept(request, passage.names) });
  }
}

/** What was judged is what is sent. */
async function readKept(request: IncomingMessage, names: readonly string[]): Promise<Buffer> {
  const refused = doorErrors.DOOR_PLAN_WRITES({ what: `creating anything but ${names.join(", ")}` });
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxKeptBytes) throw refused;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const name = readObjectName(body, request.headers["content-type"]);
  if (name === undefined || !names.includes(name)) throw refused;
  return body;
}

const maxKeptBytes = 256 * 1024;
