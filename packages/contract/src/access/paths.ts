export interface AccessPaths {
  readonly sessions: string;
  readonly sessionRefresh: string;
  readonly currentSession: string;
  session(id: string): string;
  readonly authMethods: string;
  readonly oidcStart: string;
  readonly oidcCallback: string;
  readonly oidcToken: string;
  readonly oidcDevice: string;
  readonly oidcDeviceToken: string;
  readonly oidcLogout: string;
  readonly robots: string;
  robot(name: string): string;
  robotTokens(name: string): string;
  robotToken(name: string, id: string): string;
  readonly users: string;
  user(name: string): string;
  userSignOut(name: string): string;
  readonly accessRoles: string;
  accessRole(name: string): string;
  readonly bindings: string;
  binding(id: string): string;
  readonly accessExplain: string;
  readonly accessWhoCan: string;
}

export const accessPaths: AccessPaths = {
  sessions: "/api/v1/sessions",
  sessionRefresh: "/api/v1/sessions/refresh",
  currentSession: "/api/v1/sessions/current",
  session: (id) => `/api/v1/sessions/${encodeURIComponent(id)}`,
  authMethods: "/api/v1/auth/methods",
  oidcStart: "/api/v1/auth/oidc/start",
  oidcCallback: "/api/v1/auth/oidc/callback",
  oidcToken: "/api/v1/auth/oidc/token",
  oidcDevice: "/api/v1/auth/oidc/device",
  oidcDeviceToken: "/api/v1/auth/oidc/device/token",
  oidcLogout: "/api/v1/auth/oidc/backchannel-logout",
  robots: "/api/v1/robots",
  robot: (name) => `/api/v1/robots/${encodeURIComponent(name)}`,
  robotTokens: (name) => `/api/v1/robots/${encodeURIComponent(name)}/tokens`,
  robotToken: (name, id) => `/api/v1/robots/${encodeURIComponent(name)}/tokens/${encodeURIComponent(id)}`,
  users: "/api/v1/users",
  user: (name) => `/api/v1/users/${encodeURIComponent(name)}`,
  userSignOut: (name) => `/api/v1/users/${encodeURIComponent(name)}/sign-out`,
  accessRoles: "/api/v1/roles",
  accessRole: (name) => `/api/v1/roles/${encodeURIComponent(name)}`,
  bindings: "/api/v1/bindings",
  binding: (id) => `/api/v1/bindings/${encodeURIComponent(id)}`,
  accessExplain: "/api/v1/access/explain",
  accessWhoCan: "/api/v1/access/who-can",
};
