import { open } from "node:fs/promises";

/** The last bytes of a file as text; empty when there is no such file. */
export async function readTail(path: string, sizeBytes: number): Promise<string> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const length = Math.min(size, sizeBytes);
    const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length, length });
    return buffer.toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
