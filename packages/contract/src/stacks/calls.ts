import { toQueryString } from "../audit/index.ts";
import type { CallOptions, Send } from "../send.ts";
import { stackPaths as paths } from "./paths.ts";
import type { StackListQuery, StackRunListQuery } from "./query.ts";
import type { CreateStackRunRequest } from "./requests.ts";
import {
  type StackDetail,
  type StackList,
  type StackRunDetail,
  type StackRunList,
  stackDetailSchema,
  stackListSchema,
  stackRunDetailSchema,
  stackRunListSchema,
} from "./stack.ts";

export interface StackCalls {
  listStacks(query?: StackListQuery, options?: CallOptions): Promise<StackList>;
  getStack(name: string, options?: CallOptions): Promise<StackDetail>;
  /** With the key of an earlier request it is that one's run. */
  createStackRun(name: string, request: CreateStackRunRequest, options?: CallOptions): Promise<StackRunDetail>;
  listStackRuns(name: string, query?: StackRunListQuery, options?: CallOptions): Promise<StackRunList>;
  getStackRun(name: string, id: string, options?: CallOptions): Promise<StackRunDetail>;
  /** The first call asks all commands for a graceful end, the second for one at once. */
  cancelStackRun(name: string, id: string, options?: CallOptions): Promise<StackRunDetail>;
}

export function createStackCalls(send: Send): StackCalls {
  const get = { method: "GET" };
  const post = { method: "POST" };
  return {
    listStacks: (query = {}, call) =>
      send({ ...call, ...get, path: paths.stacks + toQueryString(query), answer: stackListSchema }),
    getStack: (name, call) => send({ ...call, ...get, path: paths.stack(name), answer: stackDetailSchema }),
    createStackRun: (name, body, call) =>
      send({ ...call, ...post, path: paths.stackRuns(name), body, answer: stackRunDetailSchema }),
    listStackRuns: (name, query = {}, call) =>
      send({ ...call, ...get, path: paths.stackRuns(name) + toQueryString(query), answer: stackRunListSchema }),
    getStackRun: (name, id, call) =>
      send({ ...call, ...get, path: paths.stackRun(name, id), answer: stackRunDetailSchema }),
    cancelStackRun: (name, id, call) =>
      send({ ...call, ...post, path: paths.cancelStackRun(name, id), answer: stackRunDetailSchema }),
  };
}
