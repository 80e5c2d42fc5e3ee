// Writes logs line by line, so that those of several clusters can be told apart.
import { StringDecoder } from "node:string_decoder";
import { printable } from "../../output/index.ts";

export interface LogPrinter {
  write(bytes: Uint8Array): void;
  /** Writes what came without an end of line. */
  end(): void;
}

export function createLogPrinter(options: {
  readonly prefix: string;
  readonly print: (text: string) => void;
}): LogPrinter {
  const { prefix, print } = options;
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return {
    write(bytes) {
      const lines = (rest + decoder.write(Buffer.from(bytes))).split("\n");
      rest = lines.pop() ?? "";
      // A line without an end must not fill the memory.
      if (rest.length > longestLine) lines.push(...cut());
      if (lines.length > 0) print(lines.map(format).join(""));
    },
    end() {
      rest += decoder.end();
      if (rest !== "") print(format(rest));
      rest = "";
    },
  };

  function cut(): string[] {
    const line = rest;
    rest = "";
    return [line];
  }

  function format(line: string): string {
    const text = line.replace(/\r$/, "").split("\t").map(printable).join("\t");
    return `${prefix}${text}\n`;
  }
}

const longestLine = 1_048_576;
