// Reads from a program of Go by which Go it was built, how, and of which modules. Go writes this into the file.
import { readFile } from "node:fs/promises";

export interface GoBuildInfo {
  /** Such as go1.26.8. */
  readonly goVersion: string;
  readonly main: GoModule;
  /** Those that are in it. */
  readonly modules: readonly GoModule[];
  /** Such as GOARCH and -trimpath. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface GoModule {
  readonly path: string;
  readonly version: string;
}

/** Undefined when it isn't a program of Go. */
export async function readGoBuildInfo(file: string): Promise<GoBuildInfo | undefined> {
  const content = await readFile(file);
  // The mark also stands in programs that look for it; there it isn't at a multiple of 16, or what follows isn't this.
  for (let at = content.indexOf(mark); at >= 0; at = content.indexOf(mark, at + 1)) {
    const texts = at % 16 === 0 ? readTexts(content, at) : undefined;
    if (texts !== undefined && /^go\d/.test(texts.goVersion)) return parse(texts);
  }
  return undefined;
}

const mark = Buffer.from("\xff Go buildinf:", "latin1");
const headerBytes = 32;
const hasTextsInline = 2;
/** Go puts as many around the list of modules. */
const sentinelBytes = 16;

function readTexts(content: Buffer, at: number): { readonly goVersion: string; readonly list: string } | undefined {
  if (((content[at + mark.length + 1] ?? 0) & hasTextsInline) === 0) return undefined;
  const version = readText(content, at + headerBytes);
  const list = readText(content, version.end);
  return {
    goVersion: version.bytes.toString(),
    list: list.bytes.subarray(sentinelBytes, list.bytes.length - sentinelBytes).toString(),
  };
}

/** A length in groups of seven bits, the low ones first, and as many bytes. */
function readText(content: Buffer, at: number): { readonly bytes: Buffer; readonly end: number } {
  let [length, scale, next] = [0, 1, at];
  for (;;) {
    const byte = content[next++] ?? 0;
    length += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80 || scale > 2 ** 40) return { bytes: content.subarray(next, next + length), end: next + length };
  }
}

function parse({ goVersion, list }: { readonly goVersion: string; readonly list: string }): GoBuildInfo {
  const modules: GoModule[] = [];
  const settings: Record<string, string> = {};
  let main: GoModule = { path: "", version: "" };
  for (const line of list.split("\n")) {
    const [word, first = "", version = ""] = line.split("\t");
    const found = { path: first, version };
    if (word === "mod") main = found;
    else if (word === "dep") modules.push(found);
    // In place of the one before.
    else if (word === "=>") modules.splice(-1, 1, found);
    else if (word === "build") settings[first.slice(0, first.indexOf("="))] = first.slice(first.indexOf("=") + 1);
  }
  return { goVersion, main, modules, settings };
}
