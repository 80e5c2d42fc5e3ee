export type { Lead, Term } from "./types.ts";
