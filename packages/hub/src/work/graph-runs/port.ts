// What the engine asks of each kind of run. A rollout is a graph whose levels are waves, a stack's run one whose edges are
// dependencies. They differ on purpose in this:
//
// - Size: a rollout has up to 10,000 nodes, so it counts them on its row and reads those that changed. A stack's run has at
//   most 200 and reads all, since what follows from one node goes along its edges.
// - Stops: only a rollout pauses, or stops after failures. Its waiting clusters are shown as waiting until its end, and a
//   cancelled rollout ends as cancelled. A stack's run withdraws its steps at once and ends by what became of them.
// - A requester who is gone stops a rollout. In a stack's run each step whose turn it is fails for that reason.
// - A cancelled command makes a step cancelled, and a rollout's cluster failed, so that a retry asks it again.
// - A stack keeps a record of its resources, written in the transaction that changes the nodes.
import type { CommandOutcome } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { Kysely, RawBuilder, Transaction } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { CommandWhole, FilledCommandRequest } from "../commands/index.ts";
import type { NodeEvent, NodeState } from "./node-state.ts";
import type { GraphRunRow, Trouble } from "./rows.ts";
import type { GraphRunEvent, GraphRunRules, GraphRunState, Tally } from "./run-state.ts";

export interface GraphRunPort<Row extends GraphRunRow> {
  readonly is: CommandWhole["is"];
  readonly tables: GraphRunTables;
  /** Of a run, without what may be large. */
  readonly columns: readonly string[];
  /** The most commands of a run that haven't ended, unless fewer are wished. */
  readonly mostParallel: number;
  readonly stopsWithRequester: boolean;
  /** Why its commands are cancelled with it. */
  readonly cancelReason: string;
  rulesOf(row: Row): GraphRunRules;
  toState(row: Row): GraphRunState;
  /** The name under which a node's state is stored. */
  nameOfNode(state: NodeState): string;
  /** Counts the nodes whose commands haven't ended. */
  countRunning(db: Kysely<Tables>, row: Row): Promise<number>;
  /** Whether it is the turn of `node`, which waits. */
  isTurn(row: Row): RawBuilder<boolean>;
  /** The function throws why a node can't be begun. */
  openRequests(row: Row, principal: Principal): Promise<(turn: NodeTurn) => Promise<FilledCommandRequest>>;
  /** What becomes of a waiting node that can't be begun. */
  eventOf(error: FairleadError): NodeEvent;
  /** What follows for the nodes when these commands have ended, and how the run stands then. Its row is held. */
  settleNodes(
    trx: Transaction<Tables>,
    settling: { readonly row: Row; readonly state: GraphRunState; readonly ended: readonly EndedNode[] },
  ): Promise<{ readonly changes: readonly NodeChange[]; readonly tally: Tally }>;
  /** Beside the engine's own columns. */
  stateColumns(settling: SettlingRun<Row>): Record<string, unknown>;
  countColumns(row: Row, changes: readonly NodeChange[]): Record<string, unknown>;
  /** Before the changes are written. */
  onNodes(trx: Transaction<Tables>, row: Row, changes: readonly NodeChange[]): Promise<void>;
  onEnd(trx: Transaction<Tables>, row: Row): Promise<void>;
  readonly errors: GraphRunErrors<Row>;
}

export interface GraphRunTables {
  readonly run: "rollout" | "stack_run";
  readonly node: "rollout_cluster" | "stack_step";
  /** The node's column that names its run. */
  readonly runOf: "rollout" | "run";
  readonly hasNodeVersions: boolean;
  /** Whether there may be something to do for a run that hasn't ended. */
  readonly isDue: RawBuilder<boolean>;
  readonly isPauseOver: RawBuilder<boolean>;
}

export interface GraphRunErrors<Row> {
  requesterGone(row: Row): FairleadError;
  /** The cluster was removed, or another one has its name. */
  clusterChanged(): FairleadError;
  commandUnsuccessful(outcome: CommandOutcome): FairleadError;
  /** Another request came under the key of the run. */
  idempotencyMismatch(id: string): FairleadError;
}

export interface NodeTurn {
  readonly place: number;
  readonly cluster: string;
}

export interface EndedNode {
  readonly place: number;
  readonly command: string;
  readonly outcome: CommandOutcome;
  /** Undefined for success. */
  readonly trouble: Trouble | undefined;
}

export interface NodeChange {
  readonly place: number;
  readonly before: NodeState;
  readonly after: NodeState;
  readonly trouble: Trouble | undefined;
}

export interface SettlingRun<Row> {
  readonly row: Row;
  readonly before: GraphRunState;
  readonly after: GraphRunState;
  readonly event: AskedEvent | undefined;
  readonly tally: Tally;
  /** How many commands wait for approval. */
  readonly awaiting: number;
}

/** What happens to a run beside what follows from its nodes and from time. */
export type AskedEvent = Exclude<GraphRunEvent, { readonly type: "looked" | "pause-over" }>;
