import type { ClusterObject } from "@fairlead/doctor";
import { Fields, isRecord } from "@fairlead/kernel";
import { type Document, isNode, LineCounter, parseAllDocuments } from "yaml";
import { doctorCommandErrors } from "../errors.ts";

/** Where an object stands; without a line where its file was read as JSON. */
export interface Place {
  readonly file: string;
  readonly line?: number;
}

export interface ParsedDump {
  /** A list gives each of its items. */
  readonly objects: readonly FoundObject[];
  /** Kinds whose list is there, and empty. */
  readonly emptyKinds: readonly ObjectKind[];
  /** The file is one list. */
  readonly isList: boolean;
}

export interface FoundObject {
  readonly object: ClusterObject;
  readonly place: Place;
}

export type ObjectKind = Pick<ClusterObject, "apiVersion" | "kind">;

export function parseDump({ file, text }: { readonly file: string; readonly text: string }): ParsedDump {
  const taken = parseDocuments({ file, text });
  const [only, second] = taken;
  return {
    objects: taken.flatMap((each) => flatten(each).filter(isObject)),
    emptyKinds: taken.flatMap((each) => flatten(each).flatMap(emptyKindOf)),
    isList: only !== undefined && second === undefined && "items" in only,
  };
}

/** A document, or an item of a list, which may be a list itself. */
type Taken = FoundObject | { readonly items: readonly Taken[]; readonly ofKind?: ObjectKind };

function flatten(taken: Taken): Taken[] {
  return "items" in taken && taken.items.length > 0 ? taken.items.flatMap(flatten) : [taken];
}

function isObject(taken: Taken): taken is FoundObject {
  return "object" in taken;
}

function emptyKindOf(taken: Taken): ObjectKind[] {
  return "items" in taken && taken.ofKind !== undefined ? [taken.ofKind] : [];
}

function parseDocuments({ file, text }: { readonly file: string; readonly text: string }): Taken[] {
  const json = parseJson(text);
  if (json !== undefined) return json.map((value) => takeObjects(value, { file }, fault(file, 1, 1)));
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines });
  // An empty file has none.
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const at = placesIn({ file, lines });
    const [problem] = document.errors;
    if (problem) throw at(problem.pos[0])(firstLine(problem.message));
    const value = toValue(document, at);
    const start = isNode(document.contents) ? (document.contents.range?.[0] ?? 0) : 0;
    if (value === null || value === undefined) return [];
    return [takeObjects(value, { file, line: lines.linePos(start).line }, at(start))];
  });
}

/** Much quicker than the parser of YAML, which says where a mistake is. */
function parseJson(text: string): unknown[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return undefined;
  }
}

/** Aliases that would multiply are refused by the parser. */
function toValue(document: Document.Parsed, at: (offset: number) => Fault): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    throw at(0)(thrown instanceof Error ? firstLine(thrown.message) : "it can't be read");
  }
}

function takeObjects(value: unknown, place: Place, wrong: Fault): Taken {
  const fields = new Fields(value);
  const kind = fields.at("kind").text();
  const apiVersion = fields.at("apiVersion").text();
  if (kind === undefined || apiVersion === undefined) throw wrong("this isn't an object with apiVersion and kind");
  const items = fields.at("items").raw;
  if (kind.endsWith("List") && Array.isArray(items)) {
    // The API server leaves out what all items of a list share.
    const ofKind = kind === "List" ? undefined : { apiVersion, kind: kind.slice(0, -"List".length) };
    const taken = items.map((item, index) => {
      const ofItem: Fault = (why) => wrong(`item ${index} of this list: ${why}`);
      return takeObjects(isRecord(item) ? { ...ofKind, ...item } : item, place, ofItem);
    });
    return { items: taken, ...(ofKind && { ofKind }) };
  }
  if (fields.at("metadata", "name").text() === undefined) throw wrong(`this ${kind} has no metadata.name`);
  return { object: value as ClusterObject, place };
}

type Fault = (why: string) => Error;

function placesIn({ file, lines }: { readonly file: string; readonly lines: LineCounter }): (offset: number) => Fault {
  return (offset) => {
    const { line, col } = lines.linePos(offset);
    return fault(file, Math.max(1, line), Math.max(1, col));
  };
}

function fault(file: string, line: number, column: number): Fault {
  return (why) => doctorCommandErrors.CLI_DUMP_INVALID({ file, line, column, why });
}

/** The parser's messages go on with the place and a drawing of it. */
function firstLine(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "").replace(/\.$/, "");
}
