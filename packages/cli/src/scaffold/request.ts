import type { ClusterType, Profile } from "@fairlead/doctor";

/** Unless told. */
export const joinTokenSecret = "fairlead-agent-join";

export interface Request {
  readonly type: ClusterType;
  readonly name: string;
  readonly profile: Profile;
  readonly answers: Readonly<Record<string, string>>;
}
