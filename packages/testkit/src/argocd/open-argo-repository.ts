import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestRepository, startGitHttp, type TestRepository } from "../git/index.ts";

export interface ArgoRepository extends TestRepository, AsyncDisposable {
  /** On loopback, open to all. */
  readonly url: string;
}

/** A repository that Argo CD can read over HTTP. */
export async function openArgoRepository(): Promise<ArgoRepository> {
  await using undo = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), "fairlead-argo-git-"));
  undo.defer(() => rm(root, { recursive: true, force: true }));
  const repository = await openTestRepository(root, "apps.git");
  const http = undo.use(await startGitHttp({ root }));
  const owned = undo.move();
  return { ...repository, url: http.url("apps.git"), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
