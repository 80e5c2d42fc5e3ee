// What keeps a program apart from the agent and from other runs.
import type { Duplex } from "node:stream";

/**
 * `namespaces`: its own view of files and processes, on this machine. `uid`: another user, on this machine.
 * `container`: the runner is in a container of its own.
 */
export type Separation = "namespaces" | "uid" | "container";

export interface Fence {
  readonly separation: Separation;
  /** The file of `fairlead-runner`, as programs see it. */
  readonly program: string;
  /** Where runs have their folders. */
  readonly folder: string;
  /** The version of Landlock that the kernel has; 0: none. */
  readonly landlockAbi: number;
  /** The files of runs are another user's, and both users' by a group. */
  readonly isShared: boolean;
  /** Takes a place that no other run has meanwhile. */
  enter(signal: AbortSignal): Promise<FencePlace>;
}

export interface FencePlace extends RunnerAccess, Disposable {
  readonly separation: Separation;
}

export interface RunnerAccess {
  /** `none`: of our own questions to the runner. */
  readonly separation: Separation | "none";
  /** The user of the run's programs; undefined: the runner's own. */
  readonly uid: number | undefined;
  /** Opens a connection to a runner for one program. */
  connect(): Duplex;
}

/** What one program may reach. */
export interface ProcessFence {
  readonly place: RunnerAccess;
  /** Folders. */
  readonly write: readonly string[];
  /** Folders and files beside the system's. */
  readonly read: readonly string[];
  /** Ports to which it may open TCP connections, where the kernel can hold it to that. */
  readonly ports: readonly number[];
}
