import { expect, it } from "vitest";
import { FrameWriter } from "../wire/index.ts";
import { Outbound } from "./outbound.ts";

it("tells a writer of room that went on writing after it was told to wait", () => {
  const writer = new FrameWriter({ send() {} });
  const outbound = new Outbound({ id: 1, isOpener: true, frameBytes: 100, creditBytes: 70 });
  expect(outbound.push(Buffer.alloc(150), 0)).toBe(false);
  outbound.sendData(0, writer);
  expect([outbound.queue.sizeBytes, outbound.unblock()]).toEqual([80, false]);
  // Less than a frame waits now, and the word that there is room is still owed.
  expect(outbound.push(Buffer.alloc(10), 0)).toBe(false);
  outbound.addCredit(90);
  outbound.sendData(0, writer);
  expect([outbound.unblock(), outbound.unblock()]).toEqual([true, false]);
  expect(outbound.push(Buffer.alloc(10), 0)).toBe(true);
});
