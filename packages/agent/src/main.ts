#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { launch } from "@fairlead/kernel/launch";

launch({
  program: "fairlead-agent",
  mainUrl: import.meta.url,
  start: async () => {
    // Before anything else is loaded: loading alone would let the young generation grow by 16 MiB that nobody gives
    // back.
    setFlagsFromString("--semi-space-growth-factor=1");
    const { runProgram } = await import("./program.ts");
    await runProgram();
  },
});
