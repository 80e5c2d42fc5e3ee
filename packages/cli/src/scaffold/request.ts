import type { ClusterType, Profile } from "@fairlead/doctor";

export interface Request {
  readonly type: ClusterType;
  readonly name: string;
  readonly profile: Profile;
  readonly answers: Readonly<Record<string, string>>;
}
