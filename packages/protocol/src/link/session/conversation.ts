// The words of the two sides about the link itself, from SETTINGS to GOAWAY, and the session's state, which they change.
import type { Clock } from "@fairlead/kernel";
import {
  defaultPeerSettings,
  formatGoAway,
  formatSettings,
  frameTypes,
  type GoAway,
  type LinkClosed,
  type PeerSettings,
  protocolVersions,
} from "../wire/index.ts";
import { Departure } from "./departure.ts";
import { sessionErrors } from "./errors.ts";
import type { Lanes } from "./lanes.ts";
import type { LinkLimits } from "./limits.ts";
import { type Leaving, leavingOf, nextSessionState, type SessionEvent, type SessionState } from "./session-state.ts";

export interface ConversationOptions {
  readonly lanes: Lanes;
  readonly limits: LinkLimits;
  readonly clock: Clock;
  /** This side can go on when a connection is lost: by the peer's name for the link, or by one that it gives. */
  readonly resuming: { readonly nameLink: (() => string) | undefined } | undefined;
  /** No stream is open. */
  readonly isIdle: () => boolean;
  /** We have left, and said our last words. */
  readonly onLeft: (message: GoAway) => void;
}

export class Conversation {
  peer: PeerSettings = defaultPeerSettings;
  readonly #options: ConversationOptions;
  #state: SessionState = { is: "greeting", leaving: undefined };

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get state(): SessionState["is"] {
    return this.#state.is;
  }

  /** Undefined while nobody has said that the link is to end. */
  get leaving(): Leaving | undefined {
    return leavingOf(this.#state);
  }

  /** Throws when the two sides have no version in common. */
  receiveSettings(settings: PeerSettings): void {
    const { lanes, resuming } = this.#options;
    const isCommon = settings.versions.some((version) => protocolVersions.includes(version));
    if (!isCommon) throw sessionErrors.LINK_NO_COMMON_VERSION({ versions: settings.versions.join(", ") || "unknown" });
    this.peer = settings;
    if (resuming !== undefined && resuming.nameLink === undefined) lanes.session = settings.session;
    if (this.#state.is === "greeting") this.greet();
    if (lanes.session === undefined) lanes.main.lane.keepNothing();
  }

  /**
   * The dialler speaks first and the other side says nothing before: a dialler that puts its link on the socket a little
   * after it opened has missed nothing.
   */
  greet(): void {
    const { lanes, limits, resuming } = this.#options;
    const { main } = lanes;
    if (resuming?.nameLink !== undefined && this.peer.resume) lanes.session ??= resuming.nameLink();
    const settings: PeerSettings = {
      versions: protocolVersions,
      streams: limits.streams,
      resume: resuming !== undefined,
      session: lanes.session,
      lanes: limits.lanes,
      headBytes: limits.headBytes,
    };
    main.writer.json(frameTypes.settings, 0, false, formatSettings(settings));
    main.lane.liveness.greeted();
    this.#enter({ type: "greeted" });
    const ours = this.leaving?.ours;
    if (ours !== undefined) this.#sayGoAway(ours.message);
    main.lane.requestFlush();
  }

  /** Resolves when the link is left. */
  goAway(message: GoAway): Promise<void> {
    const { clock, lanes, isIdle, onLeft } = this.#options;
    const ours = this.leaving?.ours;
    if (ours !== undefined) return ours.left;
    const departure: Departure = new Departure({
      message,
      clock,
      isIdle: isIdle(),
      async leave() {
        await lanes.untilAcknowledged({ cutMs: departure.cutMs });
        onLeft(message);
      },
    });
    this.#enter({ type: "we-leave", departure });
    if (this.#state.is === "leaving") this.#sayGoAway(message);
    return departure.left;
  }

  receiveGoAway(): void {
    this.#enter({ type: "peer-leaves" });
  }

  end(closed: LinkClosed): void {
    this.#enter({ type: "ended", closed });
  }

  #sayGoAway(message: GoAway): void {
    const { main } = this.#options.lanes;
    // Streams that were opened before must not arrive behind it, or they would be refused.
    main.scheduler.run();
    main.writer.json(frameTypes.goAway, 0, false, formatGoAway(message));
  }

  #enter(event: SessionEvent): void {
    this.#state = nextSessionState(this.#state, event);
  }
}
