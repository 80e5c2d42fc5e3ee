// Loaded before a program: its Date is ahead by what a file says.
import { readFileSync } from "node:fs";

const file = process.env["FAIRLEAD_TEST_CLOCK"] ?? "";
const machineNow = Date.now.bind(Date);
let aheadMs = 0;
read();
setInterval(read, 100).unref();

Date.now = () => machineNow() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget),
});

function read(): void {
  aheadMs = Number(readFileSync(file, "utf8"));
}
