// Connections that end while the link goes on, and links over two of them.
import type { Recorder, Scenario } from "../recorder.ts";
import { fill, ok, openHead } from "./heads.ts";

const sides = ["hub", "agent"] as const;
/** Small enough that a transcript of bulk stays readable. */
const limits = { frameBytes: 10_000, windowBytes: 200_000, bulkAfterBytes: 50_000 };

export const cuts: readonly Scenario[] = [
  {
    name: "cut-and-resume",
    about: "Frames of both sides are lost with a connection; RESUME says from where on, and they come again.",
    sides,
    async play(link) {
      await link.begin();
      await link.act("hub", { do: "open", open: openHead({ method: "POST" }) });
      await link.act("agent", { do: "respond", stream: 2, head: ok });
      await link.act("agent", { do: "write", stream: 2, fill: fill(500) });
      await link.tick(75);
      await link.act("hub", { do: "write", stream: 2, fill: fill(300, "62") }, { hold: true });
      await link.act("agent", { do: "write", stream: 2, fill: fill(400, "63") }, { hold: true });
      await link.cut(0);
      await link.act("hub", { do: "open", open: openHead() });
      await link.act("agent", { do: "write", stream: 2, fill: fill(200, "64") });
      await link.tick(1);
      await link.act("agent", { do: "end", stream: 2 });
      await link.act("hub", { do: "end", stream: 2 });
      await link.tick(75);
    },
  },
  {
    name: "cut-twice",
    about: "The next connection is lost at once, too; nothing was sent on it but RESUME.",
    sides,
    async play(link) {
      await link.begin();
      await link.act("hub", { do: "open", open: openHead() });
      await link.act("agent", { do: "respond", stream: 2, head: ok }, { hold: true });
      await link.cut(0);
      await link.tick(1, { hold: true });
      await link.settle();
      await link.act("agent", { do: "write", stream: 2, fill: fill(100) }, { hold: true });
      await link.cut(1);
      await link.tick(400);
      await link.act("agent", { do: "end", stream: 2 });
      await link.act("hub", { do: "reset", stream: 2, code: 1 });
      await link.tick(75);
    },
  },
  {
    name: "refused-resume",
    about: "The hub has let go of the link meanwhile: it closes with 4404, and every stream of the agent is lost.",
    sides,
    async play(link) {
      await link.begin();
      await link.act("agent", { do: "open", open: openHead() });
      await link.cut(0);
      await link.act("hub", { do: "close" });
      await link.tick(1);
    },
  },
  {
    name: "nobody-comes-back",
    about: "A cut of thirty seconds ends the link on both sides, and each stream in a reset.",
    sides: ["hub"],
    async play(link) {
      await link.dial();
      await link.hello({ resume: true, lanes: 2 });
      await link.act("hub", { do: "open", open: openHead({ deadlineMs: 80_000 }) });
      await link.cut(0);
      await link.tick(29_000);
      await link.act("hub", { do: "open", open: openHead() });
      await link.tick(1_001);
    },
  },
  {
    name: "too-old-to-resume",
    about: "A peer that doesn't know RESUME: the link ends with its connection.",
    sides: ["hub"],
    async play(link) {
      await link.dial();
      await link.hello();
      await link.act("hub", { do: "open", open: openHead() });
      await link.tick(75);
      await link.cut(0);
    },
  },
  {
    name: "dead-connection-resumes",
    about: "What is sent isn't acknowledged: the hub gives up the connection and keeps the link for the next one.",
    sides: ["hub"],
    async play(link) {
      await link.dial();
      await link.hello({ resume: true });
      await link.act("hub", { do: "open", open: openHead({ deadlineMs: 80_000 }) });
      for (let round = 0; round < 3; round++) await link.tick(5_000);
      const { session } = JSON.parse(link.find("hub", 1).toString("utf8", 8)) as { session: string };
      const on = await link.dial();
      await link.sendJson(13, 0, { session, lane: 0, received: 0 }, on);
      await link.send(Buffer.from("070000000000000200036e6f", "hex"), on);
      await link.tick(75);
    },
  },
  {
    name: "bulk-lane",
    about: "Bulk moves to a second connection; what overtakes there waits for what is on its way on the first.",
    sides,
    limits,
    async play(link) {
      await startBulk(link);
      await link.act("agent", { do: "end", stream: 2, trailers: ["X-Sum", "42"] });
      for (let round = 0; round < 3; round++) await link.tick(75);
    },
  },
  {
    name: "bulk-lane-up",
    about: "The hub sends bulk, which moves as well; a reset of a stream that has moved goes over the second lane.",
    sides,
    limits,
    async play(link) {
      await link.begin();
      await link.act("hub", { do: "open", open: openHead({ method: "PUT" }) });
      await link.act("hub", { do: "write", stream: 2, fill: fill(90_000) });
      await link.act("hub", { do: "write", stream: 2, fill: fill(40_000) });
      await link.tick(75);
      await link.act("hub", { do: "reset", stream: 2, code: 7, message: "broken" });
      await link.tick(75);
    },
  },
  {
    name: "bulk-lane-cut",
    about: "The second connection is lost with frames on it, and comes back; the first goes on meanwhile.",
    sides,
    limits,
    async play(link) {
      await startBulk(link);
      // A connection that is lost again within five seconds is dialled after a pause.
      await link.tick(3_000);
      await link.tick(3_000);
      await link.act("agent", { do: "write", stream: 2, fill: fill(15_000, "64") }, { hold: true });
      await link.cut(1);
      await link.act("hub", { do: "open", open: openHead({ path: "/beside" }) });
      await link.act("agent", { do: "respond", stream: 4, head: ok });
      await link.tick(1);
      await link.act("agent", { do: "end", stream: 2 });
      await link.tick(75);
    },
  },
  {
    name: "bulk-lane-parked",
    about: "The hub closes a second lane that is idle for a minute (4409); the agent dials it again for the next bulk.",
    sides,
    limits,
    async play(link) {
      await startBulk(link);
      await link.act("agent", { do: "end", stream: 2 });
      for (let second = 0; second < 70; second += 5) await link.tick(5_000);
      await link.acts("hub", [
        { do: "open", open: openHead({ path: "/again" }) },
        { do: "end", stream: 4 },
      ]);
      await link.act("agent", { do: "respond", stream: 4, head: ok });
      await link.act("agent", { do: "write", stream: 4, fill: fill(120_000) });
      await link.tick(1);
      await link.act("agent", { do: "write", stream: 4, fill: fill(30_000) });
      await link.act("agent", { do: "end", stream: 4 });
      await link.tick(75);
    },
  },
  {
    name: "bulk-lane-wanted-back",
    about: "A second lane is closed for idleness while the agent has a stream on it: the agent dials it again at once.",
    sides,
    limits,
    async play(link) {
      await startBulk(link);
      for (let second = 0; second < 70; second += 5) await link.tick(5_000);
      await link.tick(1);
      await link.act("agent", { do: "end", stream: 2 });
      await link.tick(75);
    },
  },
];

/** An answer whose beginning is on the first lane and whose rest has gone over the second. */
async function startBulk(link: Recorder): Promise<void> {
  await link.begin();
  await link.acts("hub", [
    { do: "open", open: openHead() },
    { do: "end", stream: 2 },
  ]);
  await link.act("agent", { do: "respond", stream: 2, head: ok });
  await link.act("agent", { do: "write", stream: 2, fill: fill(120_000) });
  await link.tick(1);
  await link.act("agent", { do: "write", stream: 2, fill: fill(50_000, "62") });
}
