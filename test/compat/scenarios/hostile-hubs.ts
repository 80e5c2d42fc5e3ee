// Hubs that break the rules towards an agent.
import { dataFrame, frame, jsonFrame, resetFrame, types, windowFrame } from "../frames.ts";
import type { Recorder, Scenario } from "../recorder.ts";
import { fill, ok, openHead } from "./heads.ts";

export const hostileHubs: readonly Scenario[] = [
  againstAgent("hostile-hub-answers", "Answers that the state of their stream doesn't allow.", async (link) => {
    await link.hello();
    for (const path of ["/1", "/2", "/3"]) await link.act("agent", { do: "open", open: openHead({ path }) });
    await link.sendJson(types.head, 1, ok);
    await link.sendJson(types.head, 1, ok);
    await link.send(dataFrame(3, 0, Buffer.from("before the head")));
    await link.sendJson(types.head, 5, ok);
    await link.send(dataFrame(5, 0, Buffer.alloc(65_536)));
    await link.send(dataFrame(5, 65_536, Buffer.alloc(65_536)));
  }),
  againstAgent("hostile-hub-unknown-stream", "A frame for a stream that never was.", async (link) => {
    await link.hello();
    await link.send(resetFrame(8, 1));
  }),
  againstAgent("hostile-hub-odd-id", "The hub opens a stream with an id of the agent's.", async (link) => {
    await link.hello();
    await link.sendJson(types.open, 1, { ...openHead(), window: 1 });
  }),
  againstAgent("hostile-hub-no-version", "A hub without a version in common.", (link) => link.hello({ versions: [2] })),
  againstAgent(
    "silent-hub",
    "The agent says its SETTINGS and what it wants before it hears of the hub.",
    async (link) => {
      await link.act("agent", { do: "open", open: openHead() });
      await link.hello();
      await link.send(jsonFrame(types.head, 1, ok, 1));
      await link.act("agent", { do: "end", stream: 1 });
    },
  ),
  againstAgent(
    "hub-without-resume",
    "A hub that names no session: the link ends with its connection.",
    async (link) => {
      await link.hello({ resume: false });
      await link.act("agent", { do: "open", open: openHead() });
      await link.cut(0);
    },
  ),
  againstAgent("hub-answers-no-resume", "The answer to RESUME is something else: the link is over.", async (link) => {
    await link.hello({ resume: true, session: "0123456789abcdef", lanes: 2 });
    await link.act("agent", { do: "open", open: openHead() });
    await link.cut(0);
    await link.tick(1);
    await link.send(frame(types.ping, 0, Buffer.alloc(8)), 1);
  }),
  againstAgent(
    "hub-misses-too-much",
    "The hub misses frames that it had acknowledged: there is no going on.",
    async (link) => {
      await link.hello({ resume: true, session: "0123456789abcdef", lanes: 2 });
      await link.act("agent", { do: "open", open: openHead({ method: "POST" }) });
      await link.act("agent", { do: "write", stream: 1, fill: fill(100) });
      await link.send(windowFrame(1, 1_000));
      await link.send(Buffer.from("0c000000000000000000000000000002", "hex"));
      await link.cut(0);
      await link.tick(1);
      await link.sendJson(types.resume, 0, { received: 1 }, 1);
    },
  ),
  againstAgent("hub-goes-away", "GOAWAY, and a close with 1001.", async (link) => {
    await link.hello();
    await link.sendJson(types.goAway, 0, { reason: "upgrade", drainMs: 30_000 });
    await link.act("agent", { do: "open", open: openHead() });
    await link.sendJson(types.open, 2, { ...openHead(), window: 1_000 });
  }),
];

function againstAgent(name: string, about: string, attack: (link: Recorder) => Promise<void>): Scenario {
  const play = async (link: Recorder): Promise<void> => {
    await link.begin();
    await attack(link);
  };
  return { name, about, sides: ["agent"], play };
}
