import { isFairleadError } from "@fairlead/kernel";

/** Throws an error that doesn't pass by itself, and says of any other that the command tries again. */
export function throwUnlessRetryable(
  thrown: unknown,
  { signal, remark }: { readonly signal: AbortSignal; readonly remark: (text: string) => void },
): void {
  signal.throwIfAborted();
  if (!isFairleadError(thrown) || !thrown.retryable) throw thrown;
  remark(`${thrown.message} Trying again.`);
}
