import { printable } from "@fairlead/kernel";
import pc from "picocolors";
import type { Terminal } from "../terminal.ts";
import { guardJson, guardText } from "./guard.ts";
import { createTableWriter, type Heading, renderTable } from "./table.ts";

type Colors = ReturnType<typeof pc.createColors>;

/** Where a command's answer goes: one JSON document, or text for people. */
export interface Output {
  readonly isJson: boolean;
  /** True when the answer is a document for programs, such as JSON or YAML, and no text. */
  readonly isDocument: boolean;
  /** True when tables have all of their columns. */
  readonly isWide: boolean;
  readonly colors: Colors;
  /** The answer: `document` in the format asked for, and what `text` makes of it where that is a table. */
  answer(document: unknown, text: () => string): void;
  /** One document of an answer that comes bit by bit; JSON is one line. */
  printDocument(document: unknown): void;
  /** A part of an answer that comes bit by bit. False: the terminal wants a pause until `drain`. */
  print(text: string): boolean;
  /** The same for JSON, whole documents or lines. */
  printJson(json: string): boolean;
  /** Bytes for a file or a program, as they are; a terminal is shown something else. */
  printBytes(bytes: Uint8Array, show: () => void): void;
  /** A remark beside the answer, for people only, on stderr. */
  remark(text: string): void;
  /** A remark that a reader of JSON needs as much, on stderr. */
  notice(text: string): void;
  table(heading: Heading, rows: readonly (readonly string[])[]): string;
  /** The same for a table whose rows come bit by bit. */
  tableWriter(heading: Heading): (rows: readonly (readonly string[])[]) => string;
  /** Text from elsewhere, made safe for a terminal. */
  safe(text: string | undefined): string;
}

export interface AnswerFormat {
  readonly isJson: boolean;
  readonly isWide: boolean;
  readonly hasHeadings: boolean;
  /** For documents other than JSON. */
  readonly renderer?: DocumentRenderer | undefined;
}

/** Formats documents as text: YAML, names or columns. */
export interface DocumentRenderer {
  /** A whole answer: one object, or a list of them in `items`. */
  all(answer: unknown, table: TableMaker): string;
  /** One object of an answer that comes bit by bit. */
  one(document: unknown, table: TableMaker): string;
}

export type TableMaker = Pick<Output, "table" | "tableWriter">;

export function createOutput(terminal: Terminal, { isJson, isWide, hasHeadings, renderer }: AnswerFormat): Output {
  // Pipes and files get the text unchanged.
  const isShown = terminal.stdout.isTTY === true;
  const print = (text: string): boolean => terminal.stdout.write(isShown ? guardText(text) : text);
  const printJson = (json: string): boolean => terminal.stdout.write(isShown ? guardJson(json) : json);
  const colors = pc.createColors(isShown && terminal.environment.wantsColor);
  const isDocument = isJson || renderer !== undefined;
  const dim = (heading: Heading): Heading => (hasHeadings ? heading?.map((cell) => colors.dim(cell)) : undefined);
  const tables: TableMaker = {
    table: (heading, rows) => renderTable(dim(heading), rows),
    tableWriter: (heading) => createTableWriter(dim(heading)),
  };
  return {
    isJson,
    isDocument,
    isWide,
    colors,
    answer(document, text) {
      if (isJson) printJson(`${JSON.stringify(document, null, 2)}\n`);
      else print(renderer ? renderer.all(document, tables) : text());
    },
    printDocument(document) {
      if (renderer) print(renderer.one(document, tables));
      else printJson(`${JSON.stringify(document)}\n`);
    },
    print,
    printJson,
    printBytes(bytes, show) {
      if (isShown) show();
      else terminal.stdout.write(bytes);
    },
    remark(text) {
      if (!isDocument) terminal.stderr.write(`${guardText(text)}\n`);
    },
    notice: (text) => void terminal.stderr.write(`${guardText(text)}\n`),
    ...tables,
    safe: (text) => (text === undefined || text === "" ? "-" : printable(text)),
  };
}
