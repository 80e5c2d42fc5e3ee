// Where the browser comes back to after a sign-in: a server on this machine for one visit (RFC 8252 §7.3).

import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { printable } from "@fairlead/kernel";
import { loginErrors } from "./errors.ts";

export interface Loopback extends AsyncDisposable {
  readonly redirectUri: string;
  /** The one-time code that the browser brought; rejects when the sign-in was refused. */
  readonly code: Promise<string>;
}

/** A visit without this very `state` wasn't sent by the sign-in that we began: it is told off, and the wait goes on. */
export async function startLoopback(options: { readonly state: string }): Promise<Loopback> {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>();
  // Someone always waits for it, but perhaps not yet.
  code.catch(() => undefined);
  const server = createServer((request, response) => {
    const visit = readVisit(request, options.state);
    show(response, visit);
    if (visit.kind === "code") resolve(visit.code);
    if (visit.kind === "refused") reject(loginErrors.CLI_LOGIN_REFUSED({ why: visit.why }));
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", (thrown) => failed(loginErrors.CLI_LOOPBACK_FAILED({ cause: thrown })));
    server.listen(0, "127.0.0.1", listening);
  });
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    code,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      // The page that says so is on its way; a browser that keeps its connection must not hold us up.
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 500).unref();
      await closed;
    },
  };
}

type Visit =
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "unexpected" };

function readVisit(request: IncomingMessage, state: string): Visit {
  const url = URL.parse(request.url ?? "", "http://127.0.0.1");
  if (request.method !== "GET" || url?.pathname !== "/callback") return { kind: "unexpected" };
  const query = url.searchParams;
  if (!isSame(query.get("state") ?? "", state)) return { kind: "unexpected" };
  const error = query.get("error");
  if (error !== null) return { kind: "refused", why: printable(query.get("error_description") || error).slice(0, 300) };
  const code = query.get("code");
  return code ? { kind: "code", code } : { kind: "unexpected" };
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function show(response: ServerResponse, visit: Visit): void {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  };
  response.writeHead(visit.kind === "unexpected" ? 400 : 200, headers).end(pageOf(sentences[visit.kind]));
}

const sentences: Readonly<Record<Visit["kind"], string>> = {
  code: "You can close this window: the sign-in goes on in your terminal.",
  refused: "The sign-in was refused. Your terminal says why; you can close this window.",
  unexpected: "Nothing waits for this page. Start again with 'fairlead login'.",
};

function pageOf(sentence: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Fairlead</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32rem;padding:0 1rem}</style></head>
<body><h1>Fairlead</h1><p>${sentence}</p></body></html>
`;
}
