// `-v`: the requests of a command, on standard error. Nothing that could be a secret is printed at any level: headers,
// parameters and members of bodies are shown by a list of names, and all others by their size.
import { printable, redact } from "@fairlead/kernel";
import { describeBody, maskHeader, maskUrl } from "./mask.ts";

export interface RequestTrace {
  /** Tells of a request when it has ended, once. */
  begin(request: TracedRequest): (end: EndOfRequest) => void;
}

export interface TracedRequest {
  readonly method: string;
  readonly url: string | URL;
  readonly headers?: Headers | undefined;
  readonly body?: string | undefined;
}

export type EndOfRequest =
  | { readonly error: unknown }
  | {
      readonly status: number;
      readonly headers?: Headers | undefined;
      /** Undefined for a stream, and for what isn't read here. */
      readonly body?: string | undefined;
    };

type Headers = Readonly<Record<string, string | readonly string[] | number | undefined>>;

export interface RequestTraceOptions {
  readonly level: number;
  readonly write: (text: string) => unknown;
  /** In milliseconds, from any start. */
  readonly clock?: () => number;
}

/** Undefined where the level asks for no requests. */
export function createRequestTrace(options: RequestTraceOptions): RequestTrace | undefined {
  const { level, write, clock = () => performance.now() } = options;
  if (level < levels.requests) return undefined;
  return {
    begin(request) {
      const startedAt = clock();
      let hasEnded = false;
      return (end) => {
        if (hasEnded) return;
        hasEnded = true;
        const tookMs = Math.round(clock() - startedAt);
        const lines = [`${request.method} ${maskUrl(request.url)} ${describeEnd(end)} in ${tookMs} ms`];
        if (level >= levels.requestHeaders) lines.push(...headerLines(">", request.headers));
        if (level >= levels.bodies) lines.push(...bodyLines(">", request.body, level));
        if (level >= levels.bodies && "status" in end) {
          lines.push(...headerLines("<", end.headers), ...bodyLines("<", end.body, level));
        }
        write(lines.map((line) => `${printable(redact(line))}\n`).join(""));
      };
    },
  };
}

/** As kubectl has them. */
const levels = { requests: 6, requestHeaders: 7, bodies: 8, longBodies: 9 };

function describeEnd(end: EndOfRequest): string {
  if ("status" in end) return String(end.status);
  const code = end.error instanceof Error && "code" in end.error ? end.error.code : undefined;
  return typeof code === "string" ? `failed (${code})` : "failed";
}

function headerLines(mark: string, headers: Headers = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${mark} ${name}: ${maskHeader(name, String(value))}`],
  );
}

function bodyLines(mark: string, body: string | undefined, level: number): string[] {
  if (body === undefined || body === "") return [];
  const text = describeBody(body);
  const mostCharacters = level >= levels.longBodies ? 16_384 : 1_024;
  const more = text.length - mostCharacters;
  return [`  ${mark} ${more > 0 ? `${text.slice(0, mostCharacters)} … ${more} more characters` : text}`];
}
