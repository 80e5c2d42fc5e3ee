import type { AuthMethods } from "@fairlead/contract";
import { loginErrors } from "./errors.ts";

export type LoginMethod = "token" | "browser" | "device";

export interface LoginWishes {
  readonly hub: string;
  readonly oidc?: boolean | undefined;
  readonly device?: boolean | undefined;
  /** A token was given: in a file, on standard input, in the environment. */
  readonly hasToken: boolean;
  /** True when a person sits there. */
  readonly canAsk: boolean;
  readonly hasDisplay: boolean;
}

/** How to sign in, as far as that is clear before the hub was asked. */
export function methodWished(wishes: LoginWishes): LoginMethod | undefined {
  if (wishes.device) return "device";
  if (wishes.oidc) return "browser";
  if (wishes.hasToken || !wishes.canAsk) return "token";
  return undefined;
}

export function chooseMethod(wishes: LoginWishes, methods: AuthMethods): LoginMethod {
  const wished = methodWished(wishes);
  const { oidc } = methods;
  if (wished === "browser" && !oidc)
    throw loginErrors.CLI_LOGIN_METHOD_MISSING({ method: "an identity provider", hub: wishes.hub });
  if (wished === "device" && !oidc?.deviceFlow)
    throw loginErrors.CLI_LOGIN_METHOD_MISSING({ method: "a code for another device", hub: wishes.hub });
  if (wished !== undefined) return wished;
  if (!oidc) return "token";
  // Over SSH a browser elsewhere can't come back to this machine's loopback.
  return !wishes.hasDisplay && oidc.deviceFlow ? "device" : "browser";
}
