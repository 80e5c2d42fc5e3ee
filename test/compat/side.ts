// Plays one side of the link through the package's door alone: it does what a transcript says and writes down what its
// user gets to see.
import { createHash } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { type Clock, FairleadError, toFairleadError } from "@fairlead/kernel";
import {
  acceptLink,
  attachLink,
  createLinkTransport,
  createRpcAcceptor,
  type GoAway,
  type Link,
  type LinkLimits,
  LinkService,
  LinkSessions,
  type LinkStream,
  type OpenHead,
  type ResetCode,
  type ResponseHead,
  receiveSocket,
  type StreamAcceptor,
  type StreamHandlers,
} from "@fairlead/protocol";
import type { WebSocket } from "ws";
import { type Act, fillBytes, type SideName, type TranscriptHead } from "./transcript.ts";

export interface SideOptions {
  readonly name: SideName;
  readonly head: Pick<TranscriptHead, "limits" | "consumesAtOnce">;
  readonly clock: Clock;
  readonly sees: (session: number, what: string) => void;
  /** Opens another connection; for the agent only. */
  readonly dial: () => Promise<WebSocket>;
}

export class Side {
  readonly #options: SideOptions;
  readonly #limits: Partial<LinkLimits>;
  readonly #links: Link[] = [];
  readonly #streams = new Map<string, LinkStream>();
  readonly #sessions = new LinkSessions();

  constructor(options: SideOptions) {
    this.#options = options;
    this.#limits = options.head.limits;
  }

  /** A connection was opened to the hub. */
  receive(socket: WebSocket, mayResume: boolean): void {
    const { clock, sees } = this.#options;
    const session = this.#links.length;
    receiveSocket({
      socket,
      sessions: this.#sessions,
      clock,
      limits: this.#limits,
      timeoutMs: 15_000,
      onLink: (first) => {
        const accept = this.#acceptor(session);
        const options = { socket, first, clock, limits: this.#limits, accept };
        this.#watch(acceptLink({ ...options, sessions: this.#sessions }), session);
      },
      mayResume: () => mayResume,
      onResumed: (link) => sees(this.#links.indexOf(link), "resumed"),
      onJoined: (link) => sees(this.#links.indexOf(link), "has a lane for bulk"),
      onRefused: (error) => sees(session, `refused ${error.code}`),
      onBroken: (error) => sees(session, `broken ${error.code}`),
    });
  }

  async perform(session: number, act: Act): Promise<void> {
    try {
      await this.#do(session, act);
    } catch (thrown) {
      this.#options.sees(session, `${act.do} throws ${toFairleadError(thrown).code}`);
    }
  }

  /** Lets go of what is still there, once all is written down. */
  close(): void {
    for (const link of this.#links) link.close("the transcript is over");
  }

  async #do(session: number, act: Act): Promise<void> {
    switch (act.do) {
      case "begin":
        return this.#begin(session);
      case "open":
        return this.#open(session, act.open as OpenHead);
      case "respond":
        return this.#stream(session, act.stream).respond(act.head as ResponseHead);
      case "write":
        this.#stream(session, act.stream).write(fillBytes(act.fill));
        return;
      case "end":
        return this.#stream(session, act.stream).end(act.trailers);
      case "reset":
        return this.#stream(session, act.stream).reset(act.code as ResetCode, act.message);
      case "consume":
        return this.#stream(session, act.stream).consumed(act.bytes);
      case "ping":
        this.#link(session)
          .ping()
          .then(
            (rttMs) => this.#options.sees(session, `ping answered after ${rttMs} ms`),
            (thrown: unknown) => this.#options.sees(session, `ping failed ${toFairleadError(thrown).code}`),
          );
        return;
      case "hello":
        void this.#hello(session);
        return;
      case "go-away":
        void this.#link(session)
          .goAway(act.message as GoAway)
          .then(() => this.#options.sees(session, "has gone away"));
        return;
      case "close":
        return this.#link(session).close("closed by a transcript");
    }
  }

  async #begin(session: number): Promise<void> {
    const { clock, dial } = this.#options;
    const socket = await dial();
    const accept = this.#acceptor(session);
    this.#watch(attachLink({ socket, accept, limits: this.#limits, clock, dialAgain: dial }), session);
  }

  #open(session: number, open: OpenHead): void {
    let id = 0;
    const handlers = this.#handlers(session, () => id);
    const stream = this.#link(session).openStream(open, handlers);
    id = stream.id;
    this.#streams.set(keyOf(session, id), stream);
  }

  /** A typed call by the code that makes all of them. */
  async #hello(session: number): Promise<void> {
    const { sees } = this.#options;
    const client = createClient(LinkService, createLinkTransport({ link: this.#link(session) }));
    const headers = { "x-request-id": "req_hello" };
    try {
      const { cluster, protocolVersion, capabilities } = await client.hello(hello, { headers });
      sees(session, `hello answered ${JSON.stringify({ cluster, protocolVersion, capabilities })}`);
    } catch (thrown) {
      sees(session, `hello failed ${toFairleadError(thrown).code}`);
    }
  }

  #watch(link: Link, session: number): void {
    const { sees } = this.#options;
    this.#links[session] = link;
    link.onStateChanged = (state) => sees(session, `is ${state}`);
    link.onGoAway = (message) => sees(session, `hears GOAWAY ${JSON.stringify(message)}`);
    void link.closed.then((closed) => {
      const why = "error" in closed ? closed.error.code : "code" in closed ? `${closed.code} ${closed.text}` : "";
      sees(session, `closed: ${closed.reason} ${why}`.trimEnd());
    });
  }

  #acceptor(session: number): StreamAcceptor {
    const rpc = createRpcAcceptor({
      routes: (router) =>
        router.service(LinkService, { hello: (request) => ({ ...welcome, cluster: request.cluster }) }),
    });
    return (stream) => {
      const { target, method, path } = stream.open;
      this.#streams.set(keyOf(session, stream.id), stream);
      this.#options.sees(session, `stream ${stream.id} opened: ${target} ${method} ${path}`);
      if (path.startsWith("/refused")) throw new FairleadError({ code: "COMPAT_REFUSED", message: "not here" });
      return target === "rpc" ? rpc(stream) : this.#handlers(session, () => stream.id);
    };
  }

  #handlers(session: number, id: () => number): StreamHandlers {
    const { sees, head } = this.#options;
    const see = (what: string): void => sees(session, `stream ${id()} ${what}`);
    let received = 0;
    const sum = createHash("sha256");
    return {
      onHead: ({ status, headers }) => see(`head ${status} ${JSON.stringify(headers)}`),
      onData: (chunk) => {
        received += chunk.byteLength;
        sum.update(chunk);
        if (head.consumesAtOnce) this.#streams.get(keyOf(session, id()))?.consumed(chunk.byteLength);
      },
      onEnd: (trailers) => see(`end after ${received} bytes ${sum.copy().digest("hex")} ${JSON.stringify(trailers)}`),
      onReset: (error, code) => see(`reset ${code} ${error.code} after ${received} bytes`),
      onWritable: () => see("writable"),
    };
  }

  #link(session: number): Link {
    const link = this.#links[session];
    if (link === undefined) throw new Error(`there is no session ${session}`);
    return link;
  }

  #stream(session: number, id: number): LinkStream {
    const stream = this.#streams.get(keyOf(session, id));
    if (stream === undefined) throw new Error(`there is no stream ${id} in session ${session}`);
    return stream;
  }
}

function keyOf(session: number, stream: number): string {
  return `${session}/${stream}`;
}

const hello = {
  cluster: "east",
  agentInstanceId: "agt_1",
  agentVersion: "0.1.0",
  protocolVersions: [1],
  roles: ["proxy"],
  capabilities: ["identity"],
  kubernetesVersion: "v1.35.0",
  kubeSystemUid: "uid-1",
  sentAtMs: 1_700_000_000_000n,
};
const welcome = {
  hubInstanceId: "hub_1",
  hubVersion: "0.1.0",
  protocolVersion: 1,
  capabilities: ["inventory"],
  receivedAtMs: 1_700_000_000_000n,
};
