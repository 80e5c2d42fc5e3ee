import { createCli } from "./cli.fixture.ts";
import { startContractHub } from "./hub.fixture.ts";

export interface SignedIn extends AsyncDisposable {
  readonly hub: Awaited<ReturnType<typeof startContractHub>>;
  readonly cli: Awaited<ReturnType<typeof createCli>>;
}

/** A hub that speaks the contract, and the CLI of somebody who has signed in to it. */
export async function signedIn(): Promise<SignedIn> {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  return { hub, cli, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}
