// Operations through cuts, crashes of both sides and restored backups, against a target that writes id and start at once.
import fc from "fast-check";
import { expect, it } from "vitest";
import { judgeOperation, nextOperationId, OperationSource } from "./operations.ts";
import type { Operation, OperationResult } from "./types.ts";

const uid = fc.constantFrom("a", "b", "c");
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("ask" as const), uid, skewMs: fc.integer({ min: -9, max: 9 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("hand over" as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("run" as const), refuses: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("answer" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cut" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("connect" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("back up" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const) }) },
);

it("each operation that was asked for is run once, or known to be superseded", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100, size: "max" }), (plan) => {
      const world = new OperationWorld();
      for (const one of plan) {
        switch (one.do) {
          case "ask":
            world.ask(one.uid, one.skewMs);
            break;
          case "hand over":
            world.handOver();
            break;
          case "run":
            world.run(one.refuses);
            break;
          case "answer":
            world.answer();
            break;
          case "cut":
            world.cut();
            break;
          case "connect":
            world.connect();
            break;
          case "restart":
            world.restart();
            break;
          case "back up":
            world.backUp();
            break;
          case "restore":
            world.restore();
            break;
          default:
            one satisfies never;
        }
      }
      world.settle();
      expect(new Set(world.ran).size, "none twice").toBe(world.ran.length);
      const gone = new Set([...world.ran, ...world.superseded, ...world.forgotten]);
      expect([...world.asked].filter((id) => !gone.has(id))).toEqual([]);
      if (!plan.some((one) => one.do === "restore")) expect(world.superseded.size).toBe(0);
    }),
    { numRuns: 400 },
  );
});

class OperationWorld {
  readonly asked = new Set<string>();
  readonly ran: string[] = [];
  readonly superseded = new Set<string>();
  /** Asked for after a backup that was then restored: nobody knows of them any more. */
  readonly forgotten = new Set<string>();
  /** On the source's objects, until they are settled. */
  #pending = new Map<string, Operation>();
  #backup = new Map<string, Operation>();
  /** On the target's objects. */
  readonly #annotations = new Map<string, string>();
  #source: OperationSource;
  #handed: Operation[] = [];
  #results: OperationResult[] = [];
  #nowMs = 1_000;

  constructor() {
    this.#source = this.#newSource();
  }

  ask(of: string, skewMs: number): void {
    if (this.#pending.has(of)) return;
    this.#nowMs += 1;
    // The highest id that is known is read from the mirror of the target's object.
    const last = this.#annotations.get(of);
    const id = nextOperationId({ nowMs: this.#nowMs + skewMs, last, random: () => this.asked.size / 1_000 });
    const operation: Operation = { id, uid: of, name: of, action: "sync", contentJson: Buffer.from("{}") };
    this.asked.add(id);
    this.#pending.set(of, operation);
    expect(this.#source.offer(operation)).toBe("accepted");
  }

  handOver(): void {
    const operation = this.#source.take();
    if (operation !== undefined) this.#handed.push(operation);
  }

  run(refuses: boolean): void {
    const operation = this.#handed.shift();
    if (operation === undefined) return;
    const { id, uid: of, action } = operation;
    const judged = judgeOperation(id, this.#annotations.get(of));
    if (judged === "start" && refuses) {
      const refusal = { reason: "unavailable", message: "later", retryAfterMs: 10 } as const;
      this.#results.push({ id, uid: of, action, outcome: "refused", ...refusal });
      return;
    }
    if (judged === "start") {
      this.#annotations.set(of, id);
      this.ran.push(id);
    }
    this.#results.push({ id, uid: of, action, outcome: judged === "start" ? "started" : judged });
  }

  answer(): void {
    const result = this.#results.shift();
    if (result !== undefined) this.#source.receive(result);
  }

  cut(): void {
    this.#source.disconnect();
    this.#handed = [];
    this.#results = [];
  }

  connect(): void {
    this.cut();
    this.#source.connect();
  }

  restart(): void {
    this.cut();
    this.#source = this.#newSource();
    for (const operation of this.#pending.values()) this.#source.offer(operation);
  }

  backUp(): void {
    this.#backup = new Map(this.#pending);
  }

  restore(): void {
    const kept = new Set([...this.#backup.values()].map(({ id }) => id));
    for (const { id } of this.#pending.values()) if (!kept.has(id)) this.forgotten.add(id);
    this.#pending = new Map(this.#backup);
    this.restart();
  }

  settle(): void {
    this.connect();
    for (let round = 0; round < 20; round++) {
      this.#nowMs += 100_000;
      this.handOver();
      this.run(false);
      this.answer();
    }
  }

  #newSource(): OperationSource {
    return new OperationSource({
      isReady: () => true,
      onSettled: ({ uid: of, id }, { outcome }) => {
        if (outcome === "superseded") this.superseded.add(id);
        this.#pending.delete(of);
      },
      onWork: () => undefined,
      now: () => this.#nowMs,
      random: () => 0.5,
    });
  }
}
