// Checks all chains: each by itself, then against what the others have named of it.
import type { AuditVerification, ChainVerification } from "@fairlead/contract";
import type { AuditStore, ChainState } from "./store.ts";
import { firstChain, type Head, type NamedHead } from "./types.ts";
import { walkChain } from "./walk.ts";

/**
 * It can't notice chains that were all made anew from some records on, heads included: for that, compare a hash that was
 * kept elsewhere.
 */
export async function verifyChains(store: AuditStore, own: string, signal?: AbortSignal): Promise<AuditVerification> {
  const named = new Map<string, Witnessed>();
  const chains: ChainVerification[] = [];
  for (const state of (await store.readChains()).filter(isUsed)) {
    const found = await walkTwice(store, state.chain, signal);
    if (!found) continue;
    const { heads, ...result } = found;
    chains.push({ chain: state.chain, hub: state.hub, ...result });
    for (const head of heads) {
      if ((named.get(head.chain)?.seq ?? 0) <= head.seq) named.set(head.chain, { ...head, by: state.chain });
    }
  }
  const checked = await Promise.all(chains.map((chain) => checkNamed(store, chain, named.get(chain.chain))));
  const missing = [...named.values()].filter(
    ({ chain, gone }) => !gone && !checked.some((each) => each.chain === chain),
  );
  const all = [...checked, ...missing.map(toMissing)];
  const ours = all.find(({ chain }) => chain === own) ?? all[0];
  const broken = all.find(({ ok }) => !ok);
  return {
    ok: broken === undefined,
    records: all.reduce((sum, { records }) => sum + records, 0),
    firstSeq: ours?.firstSeq ?? 0,
    lastSeq: ours?.lastSeq ?? 0,
    headHash: ours?.headHash ?? "",
    ...(broken && { brokenAt: broken.brokenAt ?? broken.lastSeq }),
    ...(all.some(({ chain }) => chain !== firstChain) && { chains: all }),
  };
}

type Witnessed = NamedHead & { readonly by: string };

function isUsed({ chain, head }: ChainState): boolean {
  return chain === firstChain || head.seq > 0;
}

/** Records may be deleted or moved meanwhile, here or by another hub. A real fault is there at a second look, too. */
async function walkTwice(
  store: AuditStore,
  chain: string,
  signal: AbortSignal | undefined,
): ReturnType<typeof walkChain> {
  let last = await walkChain(store.chain(chain), chain, signal);
  for (let tries = 0; last && !last.ok && tries < maxTries; tries += 1) {
    const again = await walkChain(store.chain(chain), chain, signal);
    if (again?.brokenAt === last.brokenAt) return again;
    last = again;
  }
  return last;
}

async function checkNamed(
  store: AuditStore,
  chain: ChainVerification,
  witnessed: Witnessed | undefined,
): Promise<ChainVerification> {
  if (!chain.ok || !witnessed || witnessed.gone) return chain;
  const found = await findHash(store, chain, witnessed.seq);
  if (found === "deleted" || found === witnessed.hash) return chain;
  const { seq: brokenAt, by: namedBy } = witnessed;
  return found === undefined
    ? { ...chain, ok: false, problem: "cut", brokenAt: chain.lastSeq + 1, namedBy }
    : { ...chain, ok: false, problem: "changed", brokenAt, namedBy };
}

/** Undefined when the chain doesn't go that far. */
async function findHash(
  store: AuditStore,
  { chain }: ChainVerification,
  seq: number,
): Promise<string | "deleted" | undefined> {
  const [block] = await store.chain(chain).read({ seq, direction: "older", limit: 1 });
  const line = block?.lines[seq - block.firstSeq];
  if (line !== undefined) return (JSON.parse(line) as Head).hash;
  const ends = await store.chain(chain).readEnds();
  if (ends?.anchor.seq === seq) return ends.anchor.hash;
  return (ends?.anchor.seq ?? 0) > seq ? "deleted" : undefined;
}

function toMissing({ chain, seq, hash, by }: Witnessed): ChainVerification {
  return {
    chain,
    ok: false,
    problem: "missing",
    namedBy: by,
    records: 0,
    firstSeq: 0,
    lastSeq: seq,
    headHash: hash,
  };
}

const maxTries = 5;
