// The CLI's `fetch`: Node's own doesn't take a CA. Each request has its own connection. Redirects aren't followed, and
// answers are bounded.
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { caHeader, type HubFetch, type HubFetchAnswer, type HubFetchInit } from "@fairlead/contract/client";
import { cliErrors } from "../errors.ts";
import type { RequestTrace } from "../trace/index.ts";

export interface HubFetchOptions {
  /** The only CA to trust, as PEM; without it the system's. */
  readonly ca?: string | undefined;
  readonly proxy?: Record<string, string> | undefined;
  /** Silence after which the hub counts as unreachable. */
  readonly timeoutMs?: number | undefined;
  /** Told what time it is at the hub, by every answer that says so. */
  readonly onDate?: ((at: number) => void) | undefined;
  /** Told the fingerprints of the CAs that the hub has, by every answer that says so. */
  readonly onCa?: ((told: string) => void) | undefined;
  readonly trace?: RequestTrace | undefined;
}

export function createHubFetch(options: HubFetchOptions): HubFetch {
  return (url, init) => exchange(new URL(url), init, options);
}

function exchange(url: URL, init: HubFetchInit, options: HubFetchOptions): Promise<HubFetchAnswer> {
  const { ca, proxy = {}, timeoutMs = 30_000, trace } = options;
  const { method, headers, body } = init;
  const end = trace?.begin({ method, url, headers, body });
  return new Promise((resolve, reject) => {
    const fail = (thrown: Error): void => {
      end?.({ error: thrown });
      reject(explainTrust(url, thrown));
    };
    const agent = new Agent({ keepAlive: false, proxyEnv: proxy, ...(ca === undefined ? {} : { ca }) });
    const sent = request(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
      agent,
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    });
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    sent.once("error", fail);
    sent.once("response", (response) => {
      const at = Date.parse(response.headers.date ?? "");
      if (!Number.isNaN(at)) options.onDate?.(at);
      const told = response.headers[caHeader];
      if (typeof told === "string") options.onCa?.(told);
      if (init.stream) {
        // Silence is no failure of an answer that goes on for as long as there is news.
        sent.setTimeout(0);
        const { statusCode: status = 0, headers: answered } = response;
        end?.({ status, headers: answered });
        resolve({ status, body: response, text: () => text(response) });
        return;
      }
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        sizeBytes += chunk.length;
        if (sizeBytes > maxAnswerBytes) sent.destroy(new Error("the answer is too large"));
      });
      response.once("error", fail);
      response.once("end", () => {
        const { statusCode: status = 0, headers: answered } = response;
        const answer = Buffer.concat(chunks).toString("utf8");
        end?.({ status, headers: answered, body: answer });
        resolve({ status, text: () => Promise.resolve(answer) });
      });
    });
    sent.end(body);
  });
}

const maxAnswerBytes = 64 * 1024 * 1024;

/** OpenSSL's reasons in a person's words; anything else stays a failure of the network. */
export function explainTrust(url: URL, thrown: Error): Error {
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  const why = trustReasons[code];
  return why === undefined ? thrown : cliErrors.CLI_HUB_UNTRUSTED({ origin: url.origin, why, cause: thrown });
}

const unknownIssuer = "no trusted CA issued it";
const trustReasons: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  CERT_SIGNATURE_FAILURE: unknownIssuer,
  CERT_HAS_EXPIRED: "it has expired (or the clock here is wrong)",
  CERT_NOT_YET_VALID: "it isn't valid yet (or the clock here is wrong)",
  ERR_TLS_CERT_ALTNAME_INVALID: "it is issued for another name",
};
