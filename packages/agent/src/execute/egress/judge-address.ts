// Which addresses the programs of commands never reach, whatever name leads there. Pure.
import { BlockList, isIP } from "node:net";

export interface JudgedAddress {
  readonly address: string;
  readonly port: number;
  /** The policy names the host, which may be on the agent's own machine. */
  readonly isLocal: boolean;
  /** Those of the agent's machine; loopback is always among them. */
  readonly ownAddresses: readonly string[];
  /** Where the agent itself listens. */
  readonly ownPorts: readonly number[];
}

/** Why not; undefined for an address that may be reached. */
export function judgeAddress(options: JudgedAddress): string | undefined {
  const { port, isLocal, ownAddresses, ownPorts } = options;
  const address = unmapped(options.address.toLowerCase());
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (isIP(address) === 0) return "it isn't an IP address";
  const isLoopback = loopback[family].check(address, family);
  const rule = isLoopback ? undefined : never.find(({ ranges }) => ranges[family].check(address, family));
  if (rule !== undefined) return `${address} is ${rule.is}`;
  if (!isLoopback && !ownAddresses.some((own) => isSame(own, address, family))) return undefined;
  if (ownPorts.includes(port)) return `the agent itself listens at ${address}, port ${port}`;
  return isLocal ? undefined : `${address} is on the agent's own machine`;
}

/** What stands for an IPv4 address: for translators (NAT64) and for programs that know IPv6 alone. */
function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  const { hostname } = new URL(`http://[${address}]`);
  const [, high = "", low = ""] = /^\[(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === "") return hostname.slice(1, -1);
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}

function isSame(own: string, address: string, family: "ipv4" | "ipv6"): boolean {
  const bare = own.replace(/%.*$/, "");
  if (isIP(bare) !== (family === "ipv6" ? 6 : 4)) return false;
  const list = new BlockList();
  list.addAddress(bare, family);
  return list.check(address, family);
}

/** Each family has a list of its own: an IPv4 address counts as its IPv6 spelling, too, in a list that has both. */
interface Ranges {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

function rangesOf(...ranges: readonly string[]): Ranges {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [network = "", bits = ""] = range.split("/");
    const family = network.includes(":") ? "ipv6" : "ipv4";
    lists[family].addSubnet(network, Number(bits), family);
  }
  return lists;
}

/** Clouds give out the credentials of a machine to whoever asks there. */
const metadata = [
  "169.254.169.254/32",
  "169.254.170.2/32",
  "169.254.170.23/32",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "168.63.129.16/32",
  "fd00:ec2::254/128",
  "fd00:ec2::23/128",
  "fd20:ce::254/128",
  "fd00:c1::a9fe:a9fe/128",
];
const never: readonly { readonly is: string; readonly ranges: Ranges }[] = [
  { is: "a metadata address of a cloud", ranges: rangesOf(...metadata) },
  { is: "link-local", ranges: rangesOf("169.254.0.0/16", "fe80::/10", "fec0::/10") },
  { is: "unspecified", ranges: rangesOf("0.0.0.0/8", "::/128") },
  { is: "multicast", ranges: rangesOf("224.0.0.0/4", "ff00::/8") },
  { is: "reserved", ranges: rangesOf("240.0.0.0/4") },
  // Each of them has an IPv4 address in it that somebody on the way would go to.
  { is: "a translated address", ranges: rangesOf("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48") },
  { is: "a tunnelled address", ranges: rangesOf("2002::/16", "2001::/32") },
];
const loopback = rangesOf("127.0.0.0/8", "::1/128");
