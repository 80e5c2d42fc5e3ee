// The parts of a value that programs use by themselves: a program reads a configuration and prints one value of it.
import { isUtf8 } from "node:buffer";
import { parseAllDocuments, visit } from "yaml";

/**
 * The leaves of JSON and YAML, the right sides of assignments, passwords in URLs, and what is in base64. Words that all
 * logs have aren't among them.
 */
export function leavesOfText(text: string): Set<string> {
  const leaves = new Set<string>();
  for (const find of [leavesOfJson, leavesOfYaml, leavesOfAssignments, passwordsOfUrl, textInBase64])
    for (const leaf of find(text)) if (leaf !== text && !isCommon(leaf)) leaves.add(leaf);
  return leaves;
}

/** The same for a value that is read already. */
export function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === "string" && value !== "" && !isCommon(value)) yield value;
  else if (typeof value === "number" && !isCommon(String(value))) yield String(value);
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) yield* leavesOf(member);
}

/** Reads token by token: a value may be cut, hold several documents, or have comments. */
function* leavesOfJson(text: string): Generator<string> {
  if (!/^\s*[[{"]/.test(text)) return;
  for (const [token, isName] of text.matchAll(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"\s*(:)?|-?\d[\w.+-]*/g)) {
    if (isName !== undefined) continue;
    const leaf = token.startsWith('"') ? readString(token.trimEnd()) : token;
    if (leaf !== undefined) yield leaf;
  }
}

function readString(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

function leavesOfYaml(text: string): string[] {
  const leaves: string[] = [];
  if (isTooDeep(text) || !/^[ \t]*(?:- |[^\s#][^\n]*:(?:\s|$))/m.test(text)) return leaves;
  try {
    // All scalars as they are written: a number of many digits stays what it is.
    const options = { schema: "failsafe", strict: false, uniqueKeys: false, logLevel: "silent" } as const;
    for (const document of parseAllDocuments(text, options)) {
      if (!("contents" in document)) continue;
      visit(document, {
        Scalar(key, { value }) {
          if (key !== "key" && typeof value === "string") leaves.push(value);
        },
      });
    }
  } catch {
    // What was found counts.
  }
  return leaves;
}

/** What is nested so deep takes the reader very long. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > 200) return true;
  }
  return false;
}

/** Files of environments and properties, INI, TOML, and connection strings on one line. */
function* leavesOfAssignments(text: string): Generator<string> {
  const pattern = text.trim().includes("\n") ? lineAssignment : partAssignment;
  for (const [, side = ""] of text.matchAll(pattern)) {
    const leaf = side.trim();
    const [, , inner = ""] = /^(["'])(.*)\1$/.exec(leaf) ?? [];
    if (inner !== "") yield inner;
    else if (leaf.length >= shortestSide && !leaf.startsWith("=")) yield leaf;
  }
}

function* passwordsOfUrl(text: string): Generator<string> {
  for (const [, password = ""] of text.matchAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"']*:([^\s@/"']+)@/gi)) {
    yield password;
    yield decodeUrl(password);
  }
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Words are base64, too, but of nothing that can be read. */
function* textInBase64(text: string): Generator<string> {
  const trimmed = text.trim();
  if (trimmed.length < 8 || !/^[\w+/-]+={0,2}$/.test(trimmed)) return;
  const bytes = Buffer.from(trimmed, "base64");
  const isWhole = [bytes.toString("base64"), bytes.toString("base64url")].some(
    (made) => made.replaceAll("=", "") === trimmed.replaceAll("=", ""),
  );
  if (isWhole && isUtf8(bytes) && !/[^\P{C}\s]/u.test(bytes.toString())) yield bytes.toString();
}

function isCommon(leaf: string): boolean {
  return /^-?\d$/.test(leaf) || commonWords.has(leaf.trim().toLowerCase());
}

const lineAssignment = /^[ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=([^\n]+)$/gm;
const partAssignment = /(?:^|[;,\s])[A-Za-z_][\w .-]*=([^;\n]+)/g;
/** Base64 ends in signs of equality. */
const shortestSide = 4;
/** Each of them would be masked in lines that have nothing to do with the value. */
const commonWords: ReadonlySet<string> = new Set([
  ..."true false null none nil undefined yes no on off default auto always never enabled disabled".split(" "),
  ..."latest info debug warn warning error trace http https tcp udp localhost 127.0.0.1 0.0.0.0 root".split(" "),
  ..."production staging development test".split(" "),
]);
