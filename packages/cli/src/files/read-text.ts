import { readFile } from "node:fs/promises";
import { fileNotRead } from "../errors.ts";

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw fileNotRead(file, thrown);
  }
}
