// The world around a hand-over: one application, its cluster and the hubs that own its sync, with a clock that tests move.
import { createMovableClock } from "@fairlead/kernel/testing";
import {
  type Application,
  judgeOperation,
  type Operation,
  type OperationOutcome,
  type OperationResult,
  readOperationId,
  type StatusPart,
  toContent,
  toStatusPart,
  withOperationId,
} from "@fairlead/protocol";
import { createMemoryOperations } from "../memory-holds.fixture.ts";
import type { HubObjects, HubWriteResult } from "../types.ts";
import { createHandOver, type HandOver } from "./hand-over.ts";
import { HubApplications } from "./hub-applications.ts";
import type { KeptOperations } from "./kept-operations.ts";
import { OperationRecords } from "./operation-records.ts";
import { createStatusTarget, type StatusTarget } from "./status-target.ts";

export async function open(): Promise<World> {
  const world = new World();
  await world.takeOver();
  return world;
}

/** An application on the hub, its copy in a cluster that runs what it is told to, and hubs that own its sync in turn. */
export class World implements AsyncDisposable {
  there: Application = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "web", namespace: "east", uid: "u1", resourceVersion: "1" },
    spec: {},
  };
  #copy: Application = this.there;
  runs = 0;
  dieAt: "before" | "after" | undefined;
  answersLeft = Infinity;
  failWrites = 0;
  beforeAnswer: (() => void) | undefined;
  /** The hub writes no status that the cluster tells until this is resolved. */
  busy: Promise<void> | undefined;
  /** All that the hub's object was. */
  readonly history: Application[] = [];
  answer: Omit<OperationResult, "id" | "uid" | "action"> | undefined;
  readonly #clock = createMovableClock(Date.parse("2026-01-02T00:00:00Z"));
  readonly #store = createMemoryOperations();
  #backup = new Map<string, object>();
  #ending = new AbortController();
  #hub:
    | { readonly handOver: HandOver; readonly status: StatusTarget; readonly applications: HubApplications }
    | undefined;
  #version = 1;
  #generation = 0;

  backUp(): void {
    this.#backup = new Map(this.#store.kept);
  }

  restore(): void {
    this.#store.kept.clear();
    for (const [uid, record] of this.#backup) this.#store.kept.set(uid, record);
  }

  die(): void {
    this.#ending.abort();
    this.#hub = undefined;
  }

  /** The backup is of the moment when the cluster has begun the sync and hasn't answered. */
  async askAndBackUp(operation: object): Promise<void> {
    this.beforeAnswer = () => this.backUp();
    await this.ask(operation);
    this.beforeAnswer = undefined;
  }

  /** The hub that owned the sync before writes nothing any more. */
  async takeOver(): Promise<void> {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.dieAt = undefined;
    this.answersLeft = Infinity;
    const { signal } = this.#ending;
    const objects = { writeStatus: this.#writer(signal) } as unknown as HubObjects;
    const applications = new HubApplications({
      objects,
      fence: { cluster: "east", term: 1n },
      isOwn: () => true,
      signal,
    });
    const records = new OperationRecords(this.#keeper(signal));
    const ignore = (): void => undefined;
    const log = { warn: ignore, info: ignore };
    const common = { applications, records, onWork: ignore, onFenced: ignore, clock: this.#clock, signal };
    const handOver = createHandOver({ ...common, random: () => 0.5, log });
    const status = createStatusTarget({
      ...common,
      pending: handOver.pending,
      onWritten: handOver.seeAgain,
      onCaughtUp: handOver.caughtUp,
      untilMade: () => this.busy,
    });
    handOver.connect({
      isSettled: () => true,
      isBehind: (uid) => status.target.isApplying(uid),
      ask: () => undefined,
    });
    await records.load();
    this.#hub = { handOver, status, applications };
    status.target.connect();
    handOver.operations.connect();
    this.#see();
    await this.told();
  }

  /** By somebody on the hub, as Argo CD's server does it. */
  async ask(operation: object): Promise<void> {
    const { operationState: _, ...status } = this.there.status ?? {};
    this.#put({ ...this.there, operation: { ...operation }, status });
    await this.told();
  }

  async put(operation: Application["operation"]): Promise<void> {
    this.#put({ ...this.there, ...(operation && { operation }) });
    await this.#settle();
  }

  /** As the controller of ApplicationSets does. */
  async strip(): Promise<void> {
    const { annotations: _, ...metadata } = this.there.metadata;
    this.#put({ ...this.there, metadata });
    await this.told();
  }

  /** In the cluster. */
  async begin(operation: object): Promise<void> {
    this.#run({ ...operation });
    await this.told();
  }

  async degrade(): Promise<void> {
    this.#copy = { ...this.#copy, status: { ...this.#copy.status, health: { status: "Degraded" } } };
    await this.told();
  }

  async end(): Promise<void> {
    const { operation: _, ...rest } = this.#copy;
    const state = { ...this.#copy.status?.operationState, phase: "Succeeded" };
    this.#copy = { ...rest, status: { operationState: state } } as Application;
    await this.told();
  }

  /** The cluster tells its status, and what was asked of it is handed over. */
  async told(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.#settle();
      const part: StatusPart = toStatusPart(this.#copy);
      const content = toContent({ namespace: "argocd", name: "web" }, part);
      this.#hub?.status.target.receive({ type: "entry", uid: "u1", generation: ++this.#generation, ...content });
      await this.#settle();
      this.#handOver();
    }
    await this.#settle();
  }

  async pass(ms: number): Promise<void> {
    this.#clock.move(ms);
    await this.told();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
  }

  #handOver(): void {
    const operation = this.#hub?.handOver.operations.take();
    if (operation === undefined) return;
    const outcome = this.answer ?? this.#start(operation);
    if (this.answersLeft <= 0) return;
    this.answersLeft -= 1;
    this.beforeAnswer?.();
    this.#hub?.handOver.operations.receive({ ...operation, ...outcome } as OperationResult);
  }

  /** As the agent does. */
  #start({ id, contentJson }: Operation): OperationOutcome {
    const { operation, status } = this.#copy;
    const judgement = judgeOperation(
      id,
      readOperationId(operation) ?? readOperationId(status?.operationState?.["operation"]),
    );
    if (judgement !== "start") return { outcome: judgement };
    const content = JSON.parse(Buffer.from(contentJson).toString()) as NonNullable<Application["operation"]>;
    if (operation !== undefined) return isBusy;
    this.#run(withOperationId(content, id));
    return { outcome: "started" };
  }

  #run(operation: NonNullable<Application["operation"]>): void {
    this.runs += 1;
    const startedAt = new Date(this.#clock.now() + this.runs * 1_000).toISOString();
    this.#copy = { ...this.#copy, operation, status: { operationState: { phase: "Running", startedAt, operation } } };
  }

  #writer(signal: AbortSignal): HubObjects["writeStatus"] {
    return async ({ object }): Promise<HubWriteResult> => {
      if (this.dieAt === "before" || signal.aborted) throw new Error("the hub is dead");
      if (object.metadata.resourceVersion !== this.there.metadata.resourceVersion) return { is: "conflict" };
      this.#put(object as Application);
      if (this.dieAt === "after") throw new Error("the hub is dead");
      return { is: "written", object: this.there };
    };
  }

  #keeper(signal: AbortSignal): KeptOperations {
    return {
      read: this.#store.read,
      write: async (uid, record) => {
        if (signal.aborted) throw new Error("the hub is dead");
        if (this.failWrites-- > 0) throw new Error("the database is away");
        await this.#store.write(uid, record);
      },
    };
  }

  #put(object: Application): void {
    this.there = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.history.push(this.there);
    this.#see();
  }

  #see(): void {
    const { handOver, status, applications } = this.#hub ?? {};
    applications?.newest.take(this.there);
    status?.see(this.there);
    handOver?.see(this.there);
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

const isBusy = { outcome: "refused", reason: "unavailable", message: "busy", retryAfterMs: 1_000 } as const;
