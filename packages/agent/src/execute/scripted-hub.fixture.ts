// A hub in memory behind real links on loopback: it queues, leases, counts and keeps logs as hubs do, and fails where a
// test wants it to.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  acceptLink,
  attachLink,
  Cancellation,
  type CommandEnvelope,
  CommandService,
  capabilities,
  createRpcAcceptor,
  envelopeTypeOf,
  type Link,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
  type ReportRequest,
} from "@fairlead/protocol";
import { WebSocket, WebSocketServer } from "ws";
import { type CurrentLink, createCurrentLink } from "../link/index.ts";
import type { TestSigner } from "./signing.fixture.ts";

export interface HubCommand {
  readonly id: string;
  envelope: string;
  epoch: bigint;
  /** Nobody has it when the time is over. */
  leaseEndsMs: number;
  /** The numbers of the current epoch's reports. */
  sequences: Set<bigint>;
  readonly states: string[];
  outcome: ReportRequest | undefined;
  /** It waits for approval of the last one. */
  readonly plans: ReportRequest[];
  isWaiting: boolean;
  /** Somebody has to approve that it is planned. */
  heldBack: ReportRequest | undefined;
  /** How often an outcome counted. */
  outcomes: number;
  log: Buffer;
  /** An agent said that the rest of the log is lost. */
  isRestLost: boolean;
  cancellation: Cancellation;
}

export type FaultPlace = "before" | "after";

export class ScriptedHub implements AsyncDisposable {
  readonly commands = new Map<string, HubCommand>();
  /** Names of the calls that came, in order. */
  readonly calls: string[] = [];
  /** By the last claim. */
  kindsAsked: readonly string[] = [];
  /** Return true to fail the call: before it took effect, or when the answer is lost. */
  fault: (call: string, place: FaultPlace) => boolean = () => false;
  leaseMs = 30_000;
  /** Hands out all that it has, however little an agent asks for. */
  isLavish = false;
  /** Ids of commands that can't be reported in company. */
  readonly loners = new Set<string>();
  waitMs = 0;
  logLimit = Number.POSITIVE_INFINITY;
  readonly #http = createServer();
  readonly #sockets = new Set<WebSocket>();
  readonly #links: Link[] = [];
  readonly #hints = new Set<(hint: { queued: boolean; changedCommands: string[] }) => void>();
  #port = 0;

  async start(): Promise<this> {
    const server = new WebSocketServer(linkServerOptions);
    const accept = createRpcAcceptor({ routes: (router) => router.service(CommandService, this.#service()) });
    this.#http.on("upgrade", (request, socket, head) => {
      server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#sockets.add(webSocket);
        acceptLink({ socket: webSocket, accept });
      });
    });
    this.#http.listen(0, "127.0.0.1");
    await once(this.#http, "listening");
    this.#port = (this.#http.address() as AddressInfo).port;
    return this;
  }

  /** Gives the link as an agent's link keeper would. */
  async connect(links: CurrentLink = createCurrentLink()): Promise<CurrentLink> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.#port}${linkPath}`, linkSubprotocol, linkSocketOptions);
    await once(socket, "open");
    const accept = (): never => {
      throw new Error("nothing is served here");
    };
    const link = attachLink({ socket, accept });
    this.#links.push(link);
    links.set({ link, capabilities: [capabilities.commands] });
    return links;
  }

  async submit(signer: TestSigner, envelope: { readonly id: string }, header?: object): Promise<HubCommand> {
    return this.submitSigned(envelope.id, await signer.sign(envelope, header));
  }

  submitSigned(id: string, envelope: string): HubCommand {
    const command: HubCommand = {
      id,
      envelope,
      epoch: 0n,
      leaseEndsMs: 0,
      sequences: new Set<bigint>(),
      states: [],
      outcome: undefined,
      plans: [],
      isWaiting: false,
      heldBack: undefined,
      outcomes: 0,
      log: Buffer.alloc(0),
      isRestLost: false,
      cancellation: Cancellation.UNSPECIFIED,
    };
    this.commands.set(id, command);
    this.#hint({ queued: true, changedCommands: [] });
    return command;
  }

  cancel(id: string, how: Cancellation): void {
    const command = this.#get(id);
    command.cancellation = how;
    this.#hint({ queued: false, changedCommands: [id] });
  }

  /** As if people had approved its last plan or its planning, as the envelope says. */
  async approve(signer: TestSigner, envelope: Pick<CommandEnvelope, "id" | "approval" | "proposal">): Promise<void> {
    const command = this.#get(envelope.id);
    command.envelope = await signer.sign(envelope, { typ: envelopeTypeOf(envelope) });
    command.isWaiting = false;
    this.#hint({ queued: true, changedCommands: [] });
  }

  /** As if its lease had ended. */
  offerAgain(id: string): void {
    this.#get(id).leaseEndsMs = 0;
    this.#hint({ queued: true, changedCommands: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.#links) link.close("the test is over");
    for (const socket of this.#sockets) socket.terminate();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #service(): object {
    return {
      await: (_request: unknown, { signal }: { signal: AbortSignal }) => this.#await(signal),
      claim: this.#call("claim", ({ most, kinds }: { most: number; kinds: string[] }) => {
        this.kindsAsked = kinds;
        return { commands: this.#claim(most) };
      }),
      renewLeases: this.#call("renewLeases", (request: { commands: Held[] }) => ({
        leases: request.commands.map((held) => this.#renew(held)),
      })),
      report: this.#call("report", (request: ReportRequest) => ({ accepted: this.#report(request) })),
      reportAll: this.#call("reportAll", ({ reports }: { reports: ReportRequest[] }) => ({
        answers: reports.map((request) =>
          this.loners.has(request.id)
            ? { accepted: false, alone: true }
            : { accepted: this.#report(request), alone: false },
        ),
      })),
      appendLog: this.#call("appendLog", (request: LogChunk) => this.#append(request)),
    };
  }

  #call<Request, Answer>(name: string, answer: (request: Request) => Answer): (request: Request) => Answer {
    return (request) => {
      this.calls.push(name);
      if (this.fault(name, "before")) throw new ConnectError("cut", Code.Unavailable);
      const given = answer(request);
      if (this.fault(name, "after")) throw new ConnectError("cut", Code.Unavailable);
      return given;
    };
  }

  async *#await(signal: AbortSignal): AsyncGenerator<{ queued: boolean; changedCommands: string[] }> {
    const waiting: { queued: boolean; changedCommands: string[] }[] = [{ queued: true, changedCommands: [] }];
    let wake = (): void => undefined;
    const take = (hint: (typeof waiting)[number]): void => {
      waiting.push(hint);
      wake();
    };
    this.#hints.add(take);
    signal.addEventListener("abort", () => wake());
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#hints.delete(take);
    }
  }

  #claim(most: number): object[] {
    const free = [...this.commands.values()].filter(
      (one) => !one.outcome && !one.isWaiting && one.leaseEndsMs <= performance.now(),
    );
    return free.slice(0, this.isLavish ? free.length : most).map((command) => {
      command.epoch++;
      command.sequences = new Set();
      command.leaseEndsMs = performance.now() + this.leaseMs;
      // A hub notices when a lease has ended.
      setTimeout(() => this.#hint({ queued: true, changedCommands: [] }), this.leaseMs + 50).unref();
      const { id, epoch, envelope, cancellation, log } = command;
      return { id, epoch, envelope, cancellation, leaseMs: this.leaseMs, logOffset: BigInt(log.length) };
    });
  }

  #renew({ id, epoch, giveBack }: Held): object {
    const command = this.commands.get(id);
    const isHeld =
      command?.epoch === epoch && !command.outcome && !command.isWaiting && command.leaseEndsMs > performance.now();
    if (isHeld) command.leaseEndsMs = giveBack ? 0 : performance.now() + this.leaseMs;
    if (isHeld && giveBack) this.#hint({ queued: true, changedCommands: [] });
    const over = command === undefined || command.outcome !== undefined;
    return { over, id, held: isHeld && !giveBack, leaseMs: this.leaseMs, cancellation: command?.cancellation ?? 0 };
  }

  #report(request: ReportRequest): boolean {
    const command = this.commands.get(request.id);
    if (command?.epoch !== request.epoch) return false;
    if (command.sequences.has(request.sequence)) return true;
    if (command.outcome || command.isWaiting) return false;
    command.sequences.add(request.sequence);
    command.states.push(request.state);
    if (request.state === "plan-approval-needed") {
      command.heldBack = request;
      command.isWaiting = true;
      command.leaseEndsMs = 0;
    }
    if (request.state === "planned") {
      command.plans.push(request);
      command.isWaiting = true;
      command.leaseEndsMs = 0;
    }
    if (ends.has(request.state)) {
      command.outcome = request;
      command.outcomes++;
    }
    return true;
  }

  #append({ id, epoch, offset, chunk, lost }: LogChunk): object {
    const command = this.#get(id);
    if (command.epoch !== epoch) return { accepted: false, acknowledgedOffset: 0n, waitMs: 0 };
    if (lost && command.outcome) command.isRestLost = true;
    if (Number(offset) <= command.log.length) {
      const fresh = gunzipSync(chunk).subarray(command.log.length - Number(offset));
      command.log = Buffer.concat([command.log, fresh]);
    }
    const accepted = command.log.length < this.logLimit;
    return { accepted, acknowledgedOffset: BigInt(command.log.length), waitMs: this.waitMs };
  }

  #hint(hint: { queued: boolean; changedCommands: string[] }): void {
    for (const take of this.#hints) take(hint);
  }

  #get(id: string): HubCommand {
    const command = this.commands.get(id);
    if (command === undefined) throw new ConnectError("there is no such command", Code.NotFound);
    return command;
  }
}

interface Held {
  readonly id: string;
  readonly epoch: bigint;
  readonly giveBack: boolean;
}

interface LogChunk {
  readonly id: string;
  readonly epoch: bigint;
  readonly offset: bigint;
  readonly chunk: Uint8Array;
  readonly lost: boolean;
}

const ends = new Set(["succeeded", "failed", "cancelled", "refused"]);
