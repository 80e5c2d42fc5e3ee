// The body of a page that a cluster's service sends through its API server's proxy: unpacked, its links rewritten, and
// packed again the same way.
import { type Duplex, pipeline, Transform, type Writable } from "node:stream";
import { constants, createBrotliCompress, createBrotliDecompress, createGunzip, createGzip } from "node:zlib";
import { proxyErrors } from "../errors.ts";
import { createLinkRewriter } from "./rewrite-links.ts";

export interface PageOptions {
  readonly encoding: PageEncoding;
  /** Stands before a link from the root. */
  readonly prefix: string;
  readonly to: Writable;
  /** The page isn't what its headers say, or unpacks to more than a page has; `to` is destroyed. */
  readonly onFailed: (thrown: Error) => void;
}

export type PageEncoding = "identity" | "gzip" | "br";

/** The encoding when the answer is a page whose links can be rewritten. A part of a page can't be read by itself. */
export function pageEncodingOf(status: number, headers: readonly string[]): PageEncoding | undefined {
  if (status === 206) return undefined;
  let isPage = false;
  let encoding = "identity";
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const lower = headers[index]?.toLowerCase();
    if (lower === "content-type") isPage = /^\s*text\/html\s*(?:;|$)/i.test(headers[index + 1] ?? "");
    if (lower === "content-encoding") encoding = headers[index + 1]?.trim().toLowerCase() ?? "";
  }
  return isPage && (encoding === "identity" || encoding === "gzip" || encoding === "br") ? encoding : undefined;
}

/** What is written to it goes on to `to`, which it ends. */
export function openPage({ encoding, prefix, to, onFailed }: PageOptions): Writable {
  const links = rewriteLinks(prefix, encoding === "identity" ? Number.POSITIVE_INFINITY : maxUnpackedBytes);
  const whenOver = (error: NodeJS.ErrnoException | null): void => {
    if (error) onFailed(error);
  };
  const packing = packers[encoding]?.();
  if (packing === undefined) {
    pipeline(links, to, whenOver);
    return links;
  }
  pipeline(packing.unpack, links, packing.pack, to, whenOver);
  return packing.unpack;
}

function rewriteLinks(prefix: string, maxBytes: number): Transform {
  const rewriter = createLinkRewriter(prefix);
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) done(proxyErrors.PROXY_ANSWER_INVALID());
      else done(null, Buffer.from(rewriter.write(chunk.toString("latin1")), "latin1"));
    },
    flush(done) {
      done(null, Buffer.from(rewriter.end(), "latin1"));
    },
  });
}

interface Packing {
  readonly unpack: Duplex;
  readonly pack: Duplex;
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, BROTLI_PARAM_QUALITY } = constants;

/** What has come is given out at once: a page may be written bit by bit. */
const packers: Readonly<Record<PageEncoding, (() => Packing) | undefined>> = {
  identity: undefined,
  gzip: () => ({ unpack: createGunzip(), pack: createGzip({ level: 1, flush: Z_SYNC_FLUSH }) }),
  br: () => ({
    unpack: createBrotliDecompress(),
    pack: createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH, params: { [BROTLI_PARAM_QUALITY]: 1 } }),
  }),
};

/** Of a packed page: a few bytes can hold gigabytes. */
const maxUnpackedBytes = 64 * 2 ** 20;
