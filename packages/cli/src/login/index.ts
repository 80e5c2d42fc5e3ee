export { type LoginWishes, signIn } from "./sign-in.ts";
export { readToken } from "./token.ts";
