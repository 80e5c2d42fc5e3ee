import type { CallOptions, Send } from "../send.ts";
import {
  type AccessBindingList,
  accessBindingListSchema,
  type CreateBindingRequest,
  type CreatedBinding,
  createdBindingSchema,
} from "./binding.ts";
import {
  type ExplainRequest,
  type Explanation,
  explanationSchema,
  type WhoCanAnswer,
  type WhoCanRequest,
  whoCanAnswerSchema,
} from "./explain.ts";
import {
  type AuthMethods,
  authMethodsSchema,
  type DevicePending,
  type DeviceStart,
  type DeviceTokenRequest,
  deviceAnswerSchema,
  deviceStartSchema,
  type OidcTokenRequest,
} from "./oidc.ts";
import { accessPaths as paths } from "./paths.ts";
import {
  type CreateRobotRequest,
  type CreateRobotTokenRequest,
  type NewRobotToken,
  newRobotTokenSchema,
  type Robot,
  type RobotList,
  robotListSchema,
  robotSchema,
} from "./robot.ts";
import {
  type AccessRole,
  type AccessRoleList,
  accessRoleListSchema,
  accessRoleSchema,
  type PutRoleRequest,
} from "./role.ts";
import {
  type RefreshSessionRequest,
  type Session,
  type SessionList,
  sessionListSchema,
  sessionSchema,
} from "./session.ts";
import { type UserList, userListSchema } from "./user.ts";

export interface AccessClient {
  authMethods(options?: CallOptions): Promise<AuthMethods>;
  /** Exchanges the client's long-lived token for a session. */
  createSession(options?: CallOptions): Promise<Session>;
  refreshSession(request: RefreshSessionRequest, options?: CallOptions): Promise<Session>;
  /** Signs out. */
  endCurrentSession(options?: CallOptions): Promise<void>;
  /** Lists one's own sessions, or, for admins, those of a user. */
  listSessions(filter?: { readonly user?: string | undefined }, options?: CallOptions): Promise<SessionList>;
  endSession(id: string, options?: CallOptions): Promise<void>;
  exchangeOidcCode(request: OidcTokenRequest, options?: CallOptions): Promise<Session>;
  startDevice(options?: CallOptions): Promise<DeviceStart>;
  pollDevice(request: DeviceTokenRequest, options?: CallOptions): Promise<Session | DevicePending>;
  listRobots(options?: CallOptions): Promise<RobotList>;
  getRobot(name: string, options?: CallOptions): Promise<Robot>;
  createRobot(request: CreateRobotRequest, options?: CallOptions): Promise<Robot>;
  removeRobot(name: string, options?: CallOptions): Promise<void>;
  createRobotToken(name: string, request: CreateRobotTokenRequest, options?: CallOptions): Promise<NewRobotToken>;
  revokeRobotToken(name: string, id: string, options?: CallOptions): Promise<void>;
  listUsers(options?: CallOptions): Promise<UserList>;
  /** With their sessions and direct bindings. */
  removeUser(name: string, options?: CallOptions): Promise<void>;
  signOutUser(name: string, options?: CallOptions): Promise<void>;
  listRoles(options?: CallOptions): Promise<AccessRoleList>;
  putRole(name: string, request: PutRoleRequest, options?: CallOptions): Promise<AccessRole>;
  removeRole(name: string, options?: CallOptions): Promise<void>;
  listBindings(options?: CallOptions): Promise<AccessBindingList>;
  createBinding(request: CreateBindingRequest, options?: CallOptions): Promise<CreatedBinding>;
  removeBinding(id: string, options?: CallOptions): Promise<void>;
  explainAccess(request: ExplainRequest, options?: CallOptions): Promise<Explanation>;
  whoCan(request: WhoCanRequest, options?: CallOptions): Promise<WhoCanAnswer>;
}

export function createAccessClient(send: Send): AccessClient {
  return {
    authMethods: (call) => send({ ...call, method: "GET", path: paths.authMethods, answer: authMethodsSchema }),
    createSession: (call) => send({ ...call, method: "POST", path: paths.sessions, answer: sessionSchema }),
    refreshSession: (body, call) =>
      send({ ...call, method: "POST", path: paths.sessionRefresh, body, answer: sessionSchema }),
    endCurrentSession: (call) => send({ ...call, method: "DELETE", path: paths.currentSession }),
    listSessions: (filter, call) =>
      send({ ...call, method: "GET", path: withUser(paths.sessions, filter?.user), answer: sessionListSchema }),
    endSession: (id, call) => send({ ...call, method: "DELETE", path: paths.session(id) }),
    exchangeOidcCode: (body, call) =>
      send({ ...call, method: "POST", path: paths.oidcToken, body, answer: sessionSchema }),
    startDevice: (call) => send({ ...call, method: "POST", path: paths.oidcDevice, answer: deviceStartSchema }),
    pollDevice: (body, call) =>
      send({ ...call, method: "POST", path: paths.oidcDeviceToken, body, answer: deviceAnswerSchema }),
    listRobots: (call) => send({ ...call, method: "GET", path: paths.robots, answer: robotListSchema }),
    getRobot: (name, call) => send({ ...call, method: "GET", path: paths.robot(name), answer: robotSchema }),
    createRobot: (body, call) => send({ ...call, method: "POST", path: paths.robots, body, answer: robotSchema }),
    removeRobot: (name, call) => send({ ...call, method: "DELETE", path: paths.robot(name) }),
    createRobotToken: (name, body, call) =>
      send({ ...call, method: "POST", path: paths.robotTokens(name), body, answer: newRobotTokenSchema }),
    revokeRobotToken: (name, id, call) => send({ ...call, method: "DELETE", path: paths.robotToken(name, id) }),
    listUsers: (call) => send({ ...call, method: "GET", path: paths.users, answer: userListSchema }),
    removeUser: (name, call) => send({ ...call, method: "DELETE", path: paths.user(name) }),
    signOutUser: (name, call) => send({ ...call, method: "POST", path: paths.userSignOut(name) }),
    listRoles: (call) => send({ ...call, method: "GET", path: paths.accessRoles, answer: accessRoleListSchema }),
    putRole: (name, body, call) =>
      send({ ...call, method: "PUT", path: paths.accessRole(name), body, answer: accessRoleSchema }),
    removeRole: (name, call) => send({ ...call, method: "DELETE", path: paths.accessRole(name) }),
    listBindings: (call) => send({ ...call, method: "GET", path: paths.bindings, answer: accessBindingListSchema }),
    createBinding: (body, call) =>
      send({ ...call, method: "POST", path: paths.bindings, body, answer: createdBindingSchema }),
    removeBinding: (id, call) => send({ ...call, method: "DELETE", path: paths.binding(id) }),
    explainAccess: (body, call) =>
      send({ ...call, method: "POST", path: paths.accessExplain, body, answer: explanationSchema }),
    whoCan: (body, call) =>
      send({ ...call, method: "POST", path: paths.accessWhoCan, body, answer: whoCanAnswerSchema }),
  };
}

function withUser(path: string, user: string | undefined): string {
  return user === undefined ? path : `${path}?${new URLSearchParams({ user }).toString()}`;
}
