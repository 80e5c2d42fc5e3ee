#!/usr/bin/env node
import { launch } from "@fairlead/kernel/launch";

launch({
  program: "fairlead",
  mainUrl: import.meta.url,
  start: async () => {
    const { start } = await import("#start");
    await start();
  },
});
