import { lastLine, type ProgramResult } from "../../programs/index.ts";
import { joinSecret } from "./chart.ts";
import { attachErrors } from "./errors.ts";
import type { Target } from "./target.ts";

/** Hands kubectl the token on standard input, because arguments show in lists of processes. */
export async function placeToken(target: Target, token: string): Promise<void> {
  const { kubectl, namespace } = target;
  const found = await kubectl(["get", "namespace", namespace, "--ignore-not-found", "--output", "name"]);
  if (found.stdout.trim() === "") check(await kubectl(["create", "namespace", namespace]));
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: joinSecret, namespace },
    data: { token: Buffer.from(token).toString("base64") },
  };
  // Server-side, as a client-side one would keep the token in an annotation as well.
  check(await kubectl(["apply", "--server-side", "--filename", "-"], { input: JSON.stringify(secret) }));

  function check(result: ProgramResult): void {
    if (result.code !== 0) throw attachErrors.CLI_SECRET_NOT_PLACED({ namespace, why: lastLine(result) });
  }
}
