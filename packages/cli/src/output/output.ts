import { printable } from "@fairlead/kernel";
import pc from "picocolors";
import type { Terminal } from "../terminal.ts";
import { guardJson, guardText } from "./guard.ts";
import { createTableWriter, type Heading, renderTable } from "./table.ts";

type Colors = ReturnType<typeof pc.createColors>;

/** Where a command's answer goes: one JSON document, or text for people. */
export interface Output {
  readonly isJson: boolean;
  readonly colors: Colors;
  /** The answer: `json` as it is with --json, otherwise what `text` makes of it. */
  answer(json: unknown, text: () => string): void;
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

export function createOutput(terminal: Terminal, isJson: boolean): Output {
  // Pipes and files get the text unchanged.
  const isShown = terminal.stdout.isTTY === true;
  const print = (text: string): boolean => terminal.stdout.write(isShown ? guardText(text) : text);
  const printJson = (json: string): boolean => terminal.stdout.write(isShown ? guardJson(json) : json);
  const colors = pc.createColors(isShown && terminal.environment.wantsColor);
  return {
    isJson,
    colors,
    answer(json, text) {
      if (isJson) printJson(`${JSON.stringify(json, null, 2)}\n`);
      else print(text());
    },
    print,
    printJson,
    printBytes(bytes, show) {
      if (isShown) show();
      else terminal.stdout.write(bytes);
    },
    remark(text) {
      if (!isJson) terminal.stderr.write(`${guardText(text)}\n`);
    },
    notice: (text) => void terminal.stderr.write(`${guardText(text)}\n`),
    table: (heading, rows) =>
      renderTable(
        heading?.map((cell) => colors.dim(cell)),
        rows,
      ),
    tableWriter: (heading) => createTableWriter(heading?.map((cell) => colors.dim(cell))),
    safe: (text) => (text === undefined || text === "" ? "-" : printable(text)),
  };
}
