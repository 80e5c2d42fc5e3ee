import { isFairleadError } from "@fairlead/kernel";

/** Undefined for what isn't there. */
export async function findOrNone<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    if (isFairleadError(thrown) && thrown.httpStatus === 404) return undefined;
    throw thrown;
  }
}
