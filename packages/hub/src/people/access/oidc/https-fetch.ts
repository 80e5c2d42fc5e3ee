// The provider over HTTPS, with a CA of its own beside the usual ones, which `fetch` can't be told.

import type { IncomingMessage } from "node:http";
import { request as secureRequest } from "node:https";
import { rootCertificates } from "node:tls";
import { nodeHttp } from "@fairlead/protocol";
import type { CustomFetch } from "openid-client";
import { oidcErrors } from "./errors.ts";

export function createHttpsFetch(options: {
  readonly issuer: string;
  readonly caPem: string | undefined;
}): CustomFetch {
  const { issuer, caPem } = options;
  const ca = caPem === undefined ? {} : { ca: [...rootCertificates, caPem] };

  return async (url, { method, headers, body, signal }) => {
    // Plain HTTP is refused by the library before it comes here.
    const send = url.startsWith("https:") ? secureRequest : nodeHttp.request;
    const text = body === undefined || body === null ? undefined : String(body);
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = send(url, { method, headers, signal, ...ca }, resolve);
        outgoing.once("error", reject);
        outgoing.end(text);
      });
      const status = answer.statusCode ?? 0;
      const bytes = await readAll(answer);
      if (status >= 500 || status === 429)
        throw oidcErrors.AUTH_OIDC_UNAVAILABLE({ issuer, reason: `it responded with HTTP ${status}` });
      return new Response(bytes.length === 0 ? null : bytes, { status, headers: toHeaders(answer) });
    } catch (thrown) {
      if (oidcErrors.is(thrown)) throw thrown;
      const { code, message } = thrown as NodeJS.ErrnoException;
      throw oidcErrors.AUTH_OIDC_UNAVAILABLE({ issuer, reason: code ?? message, cause: thrown });
    }
  };
}

async function readAll(answer: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Uint8Array);
    sizeBytes += (chunk as Uint8Array).length;
    if (sizeBytes > maxAnswerBytes) throw new Error("its answer has no end");
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function toHeaders(answer: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

const maxAnswerBytes = 1024 * 1024;
