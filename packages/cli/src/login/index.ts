export { type LoginWishes, signIn } from "./sign-in.ts";
export { readText, readToken } from "./token.ts";
