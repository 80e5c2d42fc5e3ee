#!/usr/bin/env node
import { launch } from "@fairlead/kernel/launch";

launch({ program: "fairlead-hub", mainUrl: import.meta.url, start: () => import("./start.ts") });
