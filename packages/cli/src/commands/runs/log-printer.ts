// Writes logs line by line, so that those of several clusters can be told apart.

import { StringDecoder } from "node:string_decoder";
import { printable } from "@fairlead/kernel";
import { guardLine } from "../../output/index.ts";

export interface LogPrinter {
  /** With a time each line begins with that at which its beginning came. */
  write(bytes: Uint8Array, at?: string): void;
  /** Writes what came without an end of line. */
  end(): void;
}

export function createLogPrinter(options: {
  readonly prefix: string;
  readonly print: (text: string) => void;
}): LogPrinter {
  const { print } = options;
  // It has names of pods and clusters.
  const prefix = guardLine(options.prefix);
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let restAt: string | undefined;
  return {
    write(bytes, at) {
      const begunAt = rest === "" ? at : restAt;
      const lines = (rest + decoder.write(Buffer.from(bytes))).split("\n");
      rest = lines.pop() ?? "";
      restAt = lines.length === 0 ? begunAt : at;
      // A line without an end must not fill the memory.
      if (rest.length > longestLine) lines.push(...cut());
      if (lines.length > 0) print(lines.map((line, index) => format(line, index === 0 ? begunAt : at)).join(""));
    },
    end() {
      rest += decoder.end();
      if (rest !== "") print(format(rest, restAt));
      rest = "";
    },
  };

  function cut(): string[] {
    const line = rest;
    rest = "";
    return [line];
  }

  function format(line: string, at: string | undefined): string {
    const text = line.replace(/\r$/, "").split("\t").map(printable).join("\t");
    return `${prefix}${at === undefined ? "" : `${printable(at)} `}${text}\n`;
  }
}

const longestLine = 1_048_576;
