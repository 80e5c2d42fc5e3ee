// The daily work of hub and agent.
import type { Scenario } from "../recorder.ts";
import { fill, ok, openHead } from "./heads.ts";

const sides = ["hub", "agent"] as const;

export const exchanges: readonly Scenario[] = [
  {
    name: "hello",
    about: "A link begins; the agent's Hello is a unary typed call on it.",
    sides,
    async play(link) {
      await link.begin();
      await link.act("agent", { do: "hello" });
      await link.tick(75);
    },
  },
  {
    name: "get",
    about: "A request without a body, and its answer with one; then one whose answer is nothing but a head.",
    sides,
    async play(link) {
      await link.begin();
      await link.acts("hub", [
        { do: "open", open: openHead() },
        { do: "end", stream: 2 },
      ]);
      await link.acts("agent", [
        { do: "respond", stream: 2, head: ok },
        { do: "write", stream: 2, fill: fill(1_024) },
        { do: "end", stream: 2 },
      ]);
      await link.tick(75);
      await link.acts("hub", [
        { do: "open", open: openHead({ method: "HEAD" }) },
        { do: "end", stream: 4 },
      ]);
      const head = { status: 304, headers: [] };
      await link.acts("agent", [
        { do: "respond", stream: 4, head },
        { do: "end", stream: 4 },
      ]);
      await link.tick(75);
    },
  },
  {
    name: "body-and-trailers",
    about: "A request with a body in pieces and trailers; an answer of the same kind; header lines stay as they were.",
    sides,
    async play(link) {
      const headers = ["X-Stream-Protocol-Version", "v4", "x-stream-protocol-version", "v3", "X-Latin", "caf\u00e9"];
      await link.begin();
      await link.act("hub", { do: "open", open: openHead({ method: "POST", path: "/apis/x?q=%20", headers }) });
      await link.act("hub", { do: "write", stream: 2, fill: fill(700) });
      await link.act("hub", { do: "write", stream: 2, fill: fill(9_000, "62") });
      await link.act("hub", { do: "end", stream: 2, trailers: ["X-Check", "abc", "x-check", "def"] });
      await link.act("agent", { do: "respond", stream: 2, head: { status: 201, headers: ["Trailer", "X-Sum"] } });
      await link.act("agent", { do: "write", stream: 2, fill: fill(40) });
      await link.act("agent", { do: "end", stream: 2, trailers: ["X-Sum", "42"] });
      await link.tick(75);
    },
  },
  {
    name: "upgrade",
    about: "A stream becomes a byte pipe, whose directions end apart. Another one isn't upgraded, and is answered.",
    sides,
    async play(link) {
      await link.begin();
      await link.act("hub", { do: "open", open: openHead({ upgrade: true, path: "/exec" }) });
      await link.act("agent", { do: "respond", stream: 2, head: { status: 101, headers: ["Upgrade", "SPDY/3.1"] } });
      await link.act("agent", { do: "write", stream: 2, fill: fill(5, "72") });
      await link.act("hub", { do: "write", stream: 2, fill: fill(5, "69") });
      await link.act("hub", { do: "end", stream: 2 });
      await link.act("agent", { do: "write", stream: 2, fill: fill(6, "6f") });
      await link.act("agent", { do: "end", stream: 2 });
      await link.act("hub", { do: "open", open: openHead({ upgrade: true, path: "/attach" }) });
      await link.act("agent", { do: "respond", stream: 4, head: { status: 403, headers: [] } });
      await link.act("agent", { do: "end", stream: 4 });
      await link.act("hub", { do: "end", stream: 4 });
      await link.tick(75);
    },
  },
  {
    name: "both-directions",
    about: "Both sides open streams: ids are odd on the dialler's side and even on the other.",
    sides,
    async play(link) {
      await link.begin();
      await link.act("hub", { do: "open", open: openHead({ path: "/one" }) });
      await link.act("agent", { do: "open", open: openHead({ path: "/two" }) });
      await link.act("hub", { do: "open", open: openHead({ path: "/three" }) });
      await link.act("hub", { do: "respond", stream: 1, head: ok });
      await link.act("agent", { do: "respond", stream: 4, head: ok });
      await link.act("agent", { do: "respond", stream: 2, head: ok });
      for (const stream of [2, 4]) await link.act("agent", { do: "end", stream });
      await link.act("hub", { do: "end", stream: 1 });
      await link.act("agent", { do: "end", stream: 1 });
      for (const stream of [2, 4]) await link.act("hub", { do: "end", stream });
      await link.tick(75);
    },
  },
  {
    name: "flow-control",
    about: "Credit: the first window grows when half of it is used, then the sender waits for its reader.",
    sides,
    consumesAtOnce: false,
    async play(link) {
      await link.begin();
      await link.act("hub", { do: "open", open: openHead({ method: "POST" }) });
      await link.act("agent", { do: "respond", stream: 2, head: ok });
      await link.act("agent", { do: "write", stream: 2, fill: fill(300_000) });
      await link.act("hub", { do: "write", stream: 2, fill: fill(20_000, "62") });
      await link.act("agent", { do: "consume", stream: 2, bytes: 20_000 });
      for (let round = 0; round < 4; round++) await link.act("hub", { do: "consume", stream: 2, bytes: 75_000 });
      await link.tick(75);
      await link.act("agent", { do: "end", stream: 2 });
      await link.act("hub", { do: "end", stream: 2 });
      await link.tick(75);
    },
  },
  {
    name: "take-turns",
    about: "Data of several streams goes in turns, frame by frame; heads and control frames go before it.",
    sides,
    limits: { frameBytes: 10_000 },
    async play(link) {
      await link.begin();
      for (const path of ["/a", "/b", "/c"]) await link.act("hub", { do: "open", open: openHead({ path }) });
      const heads = [2, 4, 6].map((stream) => ({ do: "respond" as const, stream, head: ok }));
      await link.acts("agent", [
        ...heads,
        { do: "write", stream: 2, fill: fill(35_000) },
        { do: "write", stream: 4, fill: fill(25_000) },
        { do: "write", stream: 6, fill: fill(10) },
        { do: "open", open: openHead({ path: "/late" }) },
      ]);
      for (const stream of [2, 4, 6]) await link.act("agent", { do: "end", stream });
      for (const stream of [2, 4, 6]) await link.act("hub", { do: "end", stream });
      await link.tick(75);
    },
  },
  {
    name: "ping",
    about: "Pings both ways, one asked for by the hub's user, and silence that ends a link which can't resume.",
    sides: ["hub"],
    async play(link) {
      await link.dial();
      await link.hello();
      await link.act("hub", { do: "ping" });
      const asked = link.find("hub", 9);
      asked[0] = 10;
      await link.tick(30);
      await link.send(asked);
      await link.send(Buffer.from("0900000000000000a1a2a3a4a5a6a7a8", "hex"));
      for (let round = 0; round < 5; round++) await link.tick(5_000);
    },
  },
  {
    name: "resets",
    about: "Streams that end before they are whole: by either side, by a refusal, by a deadline.",
    sides,
    async play(link) {
      await link.begin();
      for (const path of ["/broken", "/left", "/refused", "/late", "/enough"]) {
        const method = path === "/enough" ? "POST" : "GET";
        await link.act("hub", { do: "open", open: openHead({ path, method, deadlineMs: 2_000 }) });
      }
      await link.act("agent", { do: "reset", stream: 2, code: 6, message: "connection refused" });
      await link.act("agent", { do: "respond", stream: 4, head: ok });
      await link.act("agent", { do: "write", stream: 4, fill: fill(100) });
      await link.act("hub", { do: "reset", stream: 4, code: 1 });
      // The answer is whole and nobody wants the rest of the question.
      await link.act("hub", { do: "write", stream: 10, fill: fill(100) });
      await link.act("agent", { do: "respond", stream: 10, head: { status: 413, headers: [] } });
      await link.act("agent", { do: "end", stream: 10 });
      await link.act("agent", { do: "reset", stream: 10, code: 0 });
      await link.act("hub", { do: "write", stream: 10, fill: fill(100) });
      await link.tick(75);
      for (let passedMs = 0; passedMs < 3_000; passedMs += 250) await link.tick(250);
    },
  },
  {
    name: "crossing-resets",
    about: "A stream that is opened and reset in one turn is never sent. Both sides reset another at the same time.",
    sides,
    async play(link) {
      await link.begin();
      await link.acts("hub", [
        { do: "open", open: openHead() },
        { do: "reset", stream: 2, code: 1 },
        { do: "open", open: openHead() },
        { do: "open", open: openHead() },
      ]);
      await link.act("hub", { do: "reset", stream: 4, code: 1 }, { hold: true });
      await link.act("agent", { do: "reset", stream: 4, code: 3 });
      await link.act("agent", { do: "respond", stream: 6, head: ok }, { hold: true });
      await link.act("hub", { do: "reset", stream: 6, code: 1 });
      await link.tick(75);
    },
  },
  {
    name: "too-many-streams",
    about: "The hub lets its peer have two streams open; another one is refused by the agent itself.",
    sides,
    limits: { streams: 2 },
    async play(link) {
      await link.begin();
      for (const path of ["/1", "/2", "/3"]) await link.act("agent", { do: "open", open: openHead({ path }) });
      await link.act("agent", { do: "reset", stream: 1, code: 1 });
      await link.act("agent", { do: "open", open: openHead({ path: "/4" }) });
      await link.tick(75);
    },
  },
  {
    name: "go-away",
    about: "The hub says GOAWAY: streams in flight end, new ones are refused, the agent opens its next link first.",
    sides,
    async play(link) {
      await link.begin();
      await link.act("hub", { do: "open", open: openHead() });
      await link.act("hub", { do: "end", stream: 2 });
      const message = { reason: "upgrade", drainMs: 5_000, reconnectAfterMs: 50 };
      await link.act("hub", { do: "go-away", message }, { hold: true });
      await link.act("agent", { do: "open", open: openHead({ path: "/crossing" }) });
      await link.act("hub", { do: "open", open: openHead() });
      await link.act("agent", { do: "begin" }, { session: 1 });
      await link.act("hub", { do: "open", open: openHead({ path: "/next" }) }, { session: 1 });
      await link.act("agent", { do: "respond", stream: 2, head: ok });
      await link.act("agent", { do: "end", stream: 2 });
      for (let round = 0; round < 4; round++) await link.tick(75);
      await link.act("agent", { do: "reset", stream: 2, code: 7 }, { session: 1 });
      await link.tick(75);
    },
  },
  {
    name: "go-away-too-long",
    about: "The agent leaves, and closes when the time for it is over; the streams that went on are lost.",
    sides,
    async play(link) {
      await link.begin();
      await link.act("hub", { do: "open", open: openHead({ path: "/watch" }) });
      await link.act("agent", { do: "respond", stream: 2, head: ok });
      await link.act("agent", { do: "go-away", message: { reason: "stop", drainMs: 1_000 } });
      for (let round = 0; round < 20; round++) await link.tick(75);
    },
  },
];
