import { readFile } from "node:fs/promises";

/** The log lines with this message, oldest first, from a log of JSON lines among which other text may stand. */
export async function findLogLines(file: string, message: string): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line.startsWith("{") && line.includes(message))
    .map(parseLine)
    .filter((line) => line["msg"] === message);
}

/** A line that is still being written reads as empty. */
function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}
