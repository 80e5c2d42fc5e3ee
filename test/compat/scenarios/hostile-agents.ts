// Peers that break the rules towards a hub: a stream or the link is lost, and nothing else.
import { ackFrame, dataFrame, frame, jsonFrame, resetFrame, types, windowFrame } from "../frames.ts";
import type { Recorder, Scenario } from "../recorder.ts";
import { fill, ok, openHead } from "./heads.ts";

export const hostileAgents: readonly Scenario[] = [
  againstHub("hostile-truncated", "A message that is too short for a frame.", (link) =>
    link.send(Buffer.from([1, 2, 3])),
  ),
  againstHub("hostile-text", "A text message.", (link) => link.send("hello")),
  againstHub("hostile-oversized", "A message over the bound.", (link) => link.send(Buffer.alloc(300_000))),
  againstHub("hostile-data-oversized", "DATA over the bound for its payload.", async (link) => {
    await link.hello();
    await open(link, 1);
    await link.send(dataFrame(1, 0, Buffer.alloc(65_537)));
  }),
  againstHub("hostile-unknown-stream", "A frame for a stream that never was.", (link) => link.send(windowFrame(41, 0))),
  againstHub("hostile-stream-zero", "A stream's frame without a stream.", (link) => link.send(windowFrame(0, 1))),
  againstHub("hostile-reused-id", "An id is used twice.", async (link) => {
    await link.hello();
    await open(link, 3);
    await open(link, 1);
  }),
  againstHub("hostile-foreign-id", "An id of the other side.", async (link) => {
    await link.hello();
    await open(link, 2);
  }),
  againstHub("hostile-no-version", "A peer without a version in common.", (link) => link.hello({ versions: [7] })),
  againstHub("hostile-bad-settings", "SETTINGS that aren't JSON.", (link) =>
    link.send(frame(types.settings, 0, Buffer.from("{not json"))),
  ),
  againstHub("newer-peer", "Versions, members and frames of the future are ignored.", async (link) => {
    await link.hello({ versions: [1, 2, 3], lanes: 4, colour: "blue" });
    await link.send(frame(99, 7, Buffer.from("from the future")));
    await link.send(frame(types.resume, 0, Buffer.from("{}")));
    await link.send(frame(types.ping, 0, Buffer.alloc(8)));
    await link.act("hub", { do: "open", open: openHead() });
    await link.send(jsonFrame(types.head, 2, { ...ok, mood: "good" }, 1));
    await link.tick(75);
  }),
  againstHub(
    "hostile-beyond-credit",
    "Data beyond credit costs its stream, and seventeen times the link.",
    async (link) => {
      await link.hello();
      for (let id = 1; id <= 33; id += 2) {
        await open(link, id);
        await link.send(dataFrame(id, 0, Buffer.alloc(65_536)));
      }
    },
    { consumesAtOnce: false },
  ),
  againstHub("hostile-credit-overflow", "More credit than fits.", async (link) => {
    await link.hello();
    await open(link, 1);
    await link.send(windowFrame(1, 0x7fff_ffff));
    await link.send(windowFrame(1, 0x7fff_ffff));
  }),
  againstHub("hostile-heads", "Heads that are malformed cost their streams.", async (link) => {
    await link.hello();
    await link.send(frame(types.open, 1, Buffer.from("{not json")));
    await link.sendJson(types.open, 3, { ...openHead({ target: "moon" }), window: 1 });
    await link.sendJson(types.open, 5, { ...openHead({ path: "no slash" }), window: 1 });
    await link.sendJson(types.open, 7, { ...openHead({ headers: ["X-A", "1\r\nX-B: 2"] }), window: 1 });
    await link.sendJson(types.open, 9, { ...openHead({ identity: { user: "a\nb", groups: [] } }), window: 1 });
    await link.sendJson(types.open, 11, { ...openHead({ identity: "root" }), window: 1 });
    await link.sendJson(types.open, 13, { ...openHead(), window: -1 });
  }),
  againstHub("hostile-answers", "Answers that the state of their stream doesn't allow.", async (link) => {
    await link.hello();
    for (const path of ["/1", "/2", "/3", "/4", "/5", "/6", "/7"]) {
      await link.act("hub", { do: "open", open: openHead({ path }) });
    }
    await link.sendJson(types.head, 2, ok);
    await link.sendJson(types.head, 2, ok);
    await link.send(dataFrame(4, 0, Buffer.from("before the head")));
    await link.sendJson(types.head, 6, { status: 101, headers: [] });
    await link.sendJson(types.head, 8, { status: 200, headers: ["odd"] });
    await link.send(frame(types.end, 10));
    await link.sendJson(types.head, 12, ok);
    await link.send(dataFrame(12, 5, Buffer.from("at the wrong offset")));
    await link.sendJson(types.head, 14, ok);
    await link.send(frame(types.end, 14));
    await link.send(dataFrame(14, 0, Buffer.from("behind the end")));
  }),
  againstHub("hostile-after-the-end", "What comes for a stream that is over is ignored.", async (link) => {
    await link.hello();
    await open(link, 1);
    await link.send(resetFrame(1, 1));
    await link.send(dataFrame(1, 0, Buffer.alloc(100)));
    await link.send(windowFrame(1, 10));
    await link.send(resetFrame(1, 1));
    await link.send(frame(types.end, 1));
    await link.send(frame(types.ping, 0, Buffer.alloc(8, 7)));
  }),
  againstHub("unknown-reset-code", "A reset code of the future is read as `internal`.", async (link) => {
    await link.hello();
    await link.act("hub", { do: "open", open: openHead() });
    await link.send(resetFrame(2, 4_711, "because"));
  }),
  againstHub("hostile-acknowledges", "What was never sent is acknowledged.", async (link) => {
    await link.hello({ resume: true });
    await link.send(ackFrame(9));
  }),
  againstHub(
    "hostile-flood",
    "Frames that carry nothing, without end.",
    async (link) => {
      await link.hello();
      for (let count = 0; count < 45; count++) await link.send(frame(types.ping, 0, Buffer.alloc(8)));
    },
    { limits: { chatterPerSecond: 2 } },
  ),
  againstHub("opens-after-goaway", "A stream that is opened behind GOAWAY was on its way.", async (link) => {
    await link.hello();
    await open(link, 1);
    await link.act("hub", { do: "go-away", message: { reason: "upgrade", drainMs: 1_000 } });
    await open(link, 3);
    await link.send(frame(types.end, 1));
    await link.act("hub", { do: "respond", stream: 1, head: ok });
    await link.act("hub", { do: "end", stream: 1 });
    for (let round = 0; round < 3; round++) await link.tick(75);
  }),
  againstHub(
    "too-many-opened",
    "More streams than the hub lets its peer have.",
    async (link) => {
      await link.hello();
      for (const id of [1, 3, 5]) await open(link, id);
    },
    { limits: { streams: 2 } },
  ),
  againstHub(
    "hostile-resume-unknown",
    "RESUME of a session that isn't there, and one that can't be read.",
    async (link) => {
      await link.sendJson(types.resume, 0, { session: "0123456789abcdef", lane: 0, received: 0 });
      const on = await link.dial();
      await link.send(frame(types.resume, 0, Buffer.from("{not json")), on);
    },
  ),
  {
    ...againstHub(
      "hostile-resume-foreign",
      "RESUME of somebody else's session, which goes on as if nothing was.",
      async (link) => {
        await link.hello({ resume: true });
        await link.act("hub", { do: "open", open: openHead() });
        const on = await link.dial("stranger");
        await link.sendJson(types.resume, 0, { session: sessionOf(link), lane: 0, received: 1 }, on);
        await link.send(jsonFrame(types.head, 2, ok, 1));
      },
    ),
  },
  againstHub(
    "hostile-resume-claims",
    "RESUME that claims frames which were never sent, and a lane that there can't be.",
    async (link) => {
      await link.hello({ resume: true, lanes: 2 });
      await link.act("hub", { do: "open", open: openHead() });
      await link.cut(0);
      const session = sessionOf(link);
      const claims = [
        { lane: 0, received: 2 },
        { lane: 2, received: 0 },
        { lane: 1, received: 3 },
        { lane: -1, received: 0 },
      ];
      for (const claim of claims) {
        const on = await link.dial();
        await link.sendJson(types.resume, 0, { session, ...claim }, on);
      }
      const on = await link.dial();
      await link.sendJson(types.resume, 0, { session, lane: 0, received: 1 }, on);
      await link.send(jsonFrame(types.head, 2, ok, 1), on);
      await link.tick(75);
    },
  ),
  againstHub("hostile-lanes", "Data on the second lane that overlaps what was promised on the first.", async (link) => {
    await link.hello({ resume: true, lanes: 2 });
    await link.act("hub", { do: "open", open: openHead() });
    await link.sendJson(types.head, 2, ok);
    const on = await link.dial();
    await link.sendJson(types.resume, 0, { session: sessionOf(link), lane: 1, received: 0 }, on);
    await link.send(dataFrame(2, 100, Buffer.alloc(50)), on);
    await link.send(dataFrame(2, 0, Buffer.alloc(120)));
    await link.act("hub", { do: "open", open: openHead() });
    await link.sendJson(types.head, 4, ok);
    await link.send(dataFrame(4, 10, Buffer.alloc(5)), on);
    await link.send(dataFrame(4, 20, Buffer.alloc(5)), on);
    await link.tick(75);
  }),
  againstHub(
    "takes-over-a-live-connection",
    "The agent noticed a cut that the hub didn't: the next connection takes over.",
    async (link) => {
      await link.hello({ resume: true });
      await link.act("hub", { do: "open", open: openHead({ method: "POST" }) });
      await link.act("hub", { do: "write", stream: 2, fill: fill(100) });
      const on = await link.dial();
      await link.sendJson(types.resume, 0, { session: sessionOf(link), lane: 0, received: 1 }, on);
      await link.send(jsonFrame(types.head, 2, ok, 1), on);
      await link.act("hub", { do: "end", stream: 2 });
      await link.tick(75);
    },
  ),
];

function againstHub(
  name: string,
  about: string,
  attack: (link: Recorder) => Promise<void>,
  more: Partial<Pick<Scenario, "limits" | "consumesAtOnce">> = {},
): Scenario {
  const play = async (link: Recorder): Promise<void> => {
    await link.dial();
    await attack(link);
  };
  return { name, about, sides: ["hub"], play, ...more };
}

async function open(link: Recorder, id: number): Promise<void> {
  await link.sendJson(types.open, id, { ...openHead({ method: "POST" }), window: 65_536 });
}

function sessionOf(link: Recorder): string {
  return (JSON.parse(link.find("hub", types.settings).toString("utf8", 8)) as { session: string }).session;
}
