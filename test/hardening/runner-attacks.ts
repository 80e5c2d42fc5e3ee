// What code from a chart or a configuration could try from inside a run. Each script prints BREACH when it got through.

/** What an attack is after. All of it belongs to the uid that the runner itself has. */
export interface Target {
  /** Process of the agent, with a secret in its environment. */
  readonly pid: number;
  /** File of mode 0600 in a folder of mode 0700. */
  readonly keyFile: string;
  /** Folder of another run. */
  readonly otherRun: string;
  /** Listens on loopback and isn't among the ports of the order. */
  readonly port: number;
  /** Name of an abstract unix socket that somebody listens on. */
  readonly abstractName: string;
}

export const secret = "the-agents-secret";

const sockaddr = (port: number) => `pack_sockaddr_in(${port}, inet_aton("127.0.0.1"))`;
const perl = (code: string) => `perl -MSocket -e '${code} or exit 1; print "BREACH\\n"'`;

export const attacks: Readonly<Record<string, (target: Target) => string>> = {
  "read the agent's key": ({ keyFile }) => `cat ${keyFile} && echo BREACH`,
  "list another run's folder": ({ otherRun }) => `ls ${otherRun} && echo BREACH`,
  "write into another run's folder": ({ otherRun }) => `echo x > ${otherRun}/planted && echo BREACH`,
  "write to a folder of the machine": () => `d=$(mktemp -d /var/tmp/runner-attack.XXXXXX) && rmdir $d && echo BREACH`,
  "read the agent's environment": ({ pid }) => `grep -qa ${secret} /proc/${pid}/environ && echo BREACH`,
  "open the agent's memory": ({ pid }) => `exec 3</proc/${pid}/mem && echo BREACH`,
  "look through the agent's root": ({ pid, keyFile }) => `cat /proc/${pid}/root${keyFile} && echo BREACH`,
  "signal the agent": ({ pid }) => `kill -0 ${pid} && echo BREACH`,
  "connect to a port that the order doesn't name": ({ port }) =>
    perl(`socket(S, AF_INET, SOCK_STREAM, 6) and connect(S, ${sockaddr(port)})`),
  "connect by MPTCP": ({ port }) => perl(`socket(S, AF_INET, SOCK_STREAM, 262) and connect(S, ${sockaddr(port)})`),
  "connect by the first data": ({ port }) =>
    perl(`socket(S, AF_INET, SOCK_STREAM, 6) and defined(send(S, "x", 0x20000000, ${sockaddr(port)}))`),
  "connect to an abstract socket": ({ abstractName }) =>
    perl(`socket(S, AF_UNIX, SOCK_STREAM, 0) and connect(S, pack_sockaddr_un("\\0${abstractName}"))`),
  "become root of a user namespace": () => `unshare --user --map-root-user true && echo BREACH`,
};
