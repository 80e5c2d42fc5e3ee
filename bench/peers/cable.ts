// A cable of fixed length and width in a process of its own, so that what it costs isn't the load generator's. Reads
// its settings from standard input, prints its port as JSON.
import { readFileSync } from "node:fs";
import { startCable } from "@fairlead/testkit";

const settings = JSON.parse(readFileSync(0, "utf8")) as { port: number; rttMs: number; bytesPerSecond?: number };

// Far more than is under way at any time here: the ends' own windows are what is measured.
const cable = await startCable({ to: { port: settings.port }, windowBytes: 64 * 2 ** 20 });
cable.delay({ rttMs: settings.rttMs });
if (settings.bytesPerSecond !== undefined) cable.throttle({ bytesPerSecond: settings.bytesPerSecond });
console.log(JSON.stringify({ port: cable.port, pid: process.pid }));
