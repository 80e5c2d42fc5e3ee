// A program as `launch` starts it. For each line of its input it says whether a debugger listens, and what a core file of
// it and of a program that it starts would have.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { url } from "node:inspector";
import { createInterface } from "node:readline";
import { launch } from "./launch.ts";

launch({
  program: "fixture",
  mainUrl: import.meta.url,
  start: async () => {
    console.log("ready");
    for await (const _ of createInterface({ input: process.stdin })) {
      const file = "/proc/self/coredump_filter";
      const filters = [readFileSync(file, "utf8"), execFileSync("cat", [file], { encoding: "utf8" })];
      console.log(
        JSON.stringify({ debugger: url() ?? null, filters: filters.map((text) => Number.parseInt(text, 16)) }),
      );
    }
  },
});
