/** The profile, settings and catalogue that the verdicts were made with. */
export interface ExaminedWith {
  readonly profile: string;
  /** The generation of the hub's settings for this cluster; 0 where the hub has said nothing. */
  readonly generation: number;
  /** The version of the agent, whose catalogue of addons it is. */
  readonly catalogue: string;
}
