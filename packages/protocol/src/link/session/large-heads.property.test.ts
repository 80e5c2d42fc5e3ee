// Heads of all sizes, both ways, whatever is reset or cut in between: each arrives as it was or not at all.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { LinkStream } from "../stream/index.ts";
import { resetCodes } from "../wire/index.ts";
import { createLinkBudget } from "./budget.ts";
import { openHead, SessionPair } from "./session-pair.fixture.ts";

const sizes = [10, 10, 70_000, 200_000, 300_000, 500_000];

const steps = fc.oneof(
  fc.record({ do: fc.constant("open" as const), sizeBytes: fc.constantFrom(...sizes) }),
  fc.record({ do: fc.constant("answer" as const), sizeBytes: fc.constantFrom(...sizes) }),
  fc.record({ do: fc.constantFrom("opener-resets" as const, "acceptor-resets" as const), which: fc.nat({ max: 20 }) }),
  fc.record({ do: fc.constantFrom("hub-to-agent" as const, "agent-to-hub" as const), frames: fc.nat({ max: 6 }) }),
  fc.constant({ do: "cut" as const }),
);

it("every head arrives as it was, or its stream ends in a reset, and all memory is given back", () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 5, maxLength: 40 }), (todo) => {
      const hubBudget = createLinkBudget({ totalBytes: 3_000_000 });
      const agentBudget = createLinkBudget({ totalBytes: 3_000_000 });
      const opened: { stream: LinkStream; answers: string[]; isReset: boolean; answered: string | undefined }[] = [];
      const byPath = new Map<string, LinkStream>();
      const pair = new SessionPair({
        hubBudget,
        agentBudget,
        resuming: true,
        acceptOnAgent(stream) {
          expect(opened[Number(stream.open.path.slice(1))]?.stream.open.headers).toEqual(stream.open.headers);
          byPath.set(stream.open.path, stream);
          return { onData() {}, onEnd() {}, onReset: () => void byPath.delete(stream.open.path) };
        },
      });
      pair.settle();
      let answered = 0;
      for (const step of todo) take(step);
      pair.settle();
      for (const { answers, answered: expected, isReset } of opened) {
        if (!isReset && expected !== undefined) expect(answers).toEqual([expected]);
        expect(answers.length).toBeLessThanOrEqual(1);
      }
      expect(pair.hub.carrier.closed ?? pair.agent.carrier.closed).toBeUndefined();
      for (const one of opened) one.stream.reset(resetCodes.cancelled);
      pair.settle();
      expect([hubBudget.grantedBytes, agentBudget.grantedBytes]).toEqual([0, 0]);

      function take(step: (typeof todo)[number]): void {
        switch (step.do) {
          case "open":
            open(step.sizeBytes);
            break;
          case "answer": {
            const stream = byPath.get(`/${answered}`);
            const one = opened[answered++];
            if (stream === undefined || one === undefined) return;
            one.answered = "b".repeat(step.sizeBytes);
            stream.respond({ status: 200, headers: ["X", one.answered] });
            break;
          }
          case "opener-resets":
            if (opened[step.which] === undefined) return;
            opened[step.which]?.stream.reset(resetCodes.cancelled);
            (opened[step.which] as { isReset: boolean }).isReset = true;
            break;
          case "acceptor-resets":
            byPath.get(`/${step.which}`)?.reset(resetCodes.cancelled);
            byPath.delete(`/${step.which}`);
            break;
          case "hub-to-agent":
          case "agent-to-hub": {
            const side = step.do === "hub-to-agent" ? pair.hub : pair.agent;
            for (let at = 0; at < step.frames; at++) {
              side.session.writable();
              pair.deliver(side);
            }
            break;
          }
          case "cut":
            pair.cut();
            expect(pair.reconnect()).toBe(true);
        }
      }

      function open(sizeBytes: number): void {
        const one = { answers: [] as string[], isReset: false, answered: undefined as string | undefined };
        const head = openHead({ path: `/${opened.length}`, headers: ["X", "a".repeat(sizeBytes)] });
        const stream = pair.hub.session.openStream(head, {
          onHead: ({ headers }) => void one.answers.push(headers[1] ?? ""),
          onData() {},
          onEnd() {},
          onReset() {
            one.isReset = true;
          },
        });
        opened.push(Object.assign(one, { stream }));
      }
    }),
    { numRuns: 150 },
  );
});
