import type { KubeClient } from "@fairlead/kube";
import type { SecretSight } from "./secret-sight.ts";

/** What the door knows about a run of a command's programs. */
export interface DoorRun {
  /** Has the rights of the command. */
  readonly kube: KubeClient;
  /** Whether a refusal of the API server may be over in a moment. */
  readonly mayPass: () => boolean;
  /**
   * The user agent that the API server sees, whatever programs send. Its audit log names it, and so does an object
   * whose writer didn't name a field manager.
   */
  readonly userAgent: string;
  /** A plan reads and asks for dry runs. */
  readonly phase: "plan" | "apply";
  /** Without it all Secrets that the command's rights reach. */
  readonly secrets: SecretSight | undefined;
  /** The namespace of the agent itself. */
  readonly ownNamespace: string | undefined;
  /** What a plan writes, too, such as the lock of a state. */
  readonly keeps: readonly KeptObject[];
}

export interface KeptObject {
  /** Empty for the core group. */
  readonly apiGroup: string;
  /** Plural, lower case. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}
