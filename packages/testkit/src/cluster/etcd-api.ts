// etcd's JSON gateway, for what tests do behind the API server's back. Keys and values are base64.

/** The text of the answer; a snapshot's is several lines of JSON. */
export async function askEtcd(etcdUrl: string, path: string, body: object = {}): Promise<string> {
  const answer = await fetch(`${etcdUrl}/v3/${path}`, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd answers ${answer.status}: ${await answer.text()}`);
  return await answer.text();
}

/** Splits operations into lists that each fit into one transaction. */
export function splitIntoTransactions<Item>(items: readonly Item[]): Item[][] {
  const parts = Array.from({ length: Math.ceil(items.length / mostOfTransaction) }, (_, index) => index);
  return parts.map((index) => items.slice(index * mostOfTransaction, (index + 1) * mostOfTransaction));
}

export function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Etcd takes 128, and 1.5 MiB. */
const mostOfTransaction = 100;
