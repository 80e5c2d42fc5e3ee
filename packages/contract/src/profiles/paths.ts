export const profilePaths: {
  readonly profiles: string;
  profile(name: string): string;
  readonly choices: string;
  choice(cluster: string): string;
} = {
  profiles: "/api/v1/profiles",
  profile: (name) => `/api/v1/profiles/${encodeURIComponent(name)}`,
  choices: "/api/v1/profile-choices",
  choice: (cluster) => `/api/v1/clusters/${encodeURIComponent(cluster)}/profile`,
};
