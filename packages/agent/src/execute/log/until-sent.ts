import { type Clock, sleep } from "@fairlead/kernel";

/** However long it is, as long as the hub takes more of it. */
export async function untilSent(
  log: { readonly sent: Promise<unknown>; readonly isSent: boolean; readonly sentBytes: number },
  { clock, patienceMs, signal }: { readonly clock: Clock; readonly patienceMs: number; readonly signal: AbortSignal },
): Promise<void> {
  for (let before = -1; !log.isSent && log.sentBytes > before; ) {
    before = log.sentBytes;
    await Promise.race([log.sent, sleep(patienceMs, { clock, signal })]);
  }
}
