export type Verdict =
  | { readonly allowed: true }
  /** `rule` is what the policy's author finds in the file or in the guide. */
  | { readonly allowed: false; readonly rule: string; readonly reason: string };
